// The one header an application includes for the ACL runtime.
//
// In: acl_base.h, acl_rt.h. Out: life cycle and error text. Must never declare anything of an operator.
#ifndef FIAGEN_ACL_ACL_H
#define FIAGEN_ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// `configPath` may be null: there is nothing to configure, a given file is not read.
aclError aclInit(const char* configPath);
// Waits for every stream, then ends the runtime; every device, stream and allocation goes with it. What was never freed or
// destroyed, or twice, is told on stderr.
aclError aclFinalize(void);

// The descriptions of the calling thread's failures since the last call, newest on top, and forgets them; null when there are
// none. The text lives until the next call of this function in the same thread.
const char* aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif
