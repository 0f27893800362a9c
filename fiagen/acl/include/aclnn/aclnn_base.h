// Life cycle of the aclnn layer, and the objects its calls take.
//
// In: acl_meta.h. Out: aclnnInit, aclnnFinalize. Must never declare an operator; each has a header of its own.
#ifndef FIAGEN_ACLNN_ACLNN_BASE_H
#define FIAGEN_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// An application calls either aclInit or aclnnInit; the second one to be called reports ACL_ERROR_REPEAT_INITIALIZE.
aclnnStatus aclnnInit(const char* configPath);
aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
