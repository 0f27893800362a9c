// The folder of a library that `fiagen build --library` made: its chip, its kernels, and how to make one more.
//
// In: the place of the library this code is part of. Out: facts of the folder beside it. Must never look at an environment variable,
// nor trust a kernel file that is not whole.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime_state.h"

extern char** environ;

namespace fiagen::home {
namespace {

constexpr char SEAL[] = "FIAGENOK";  // the last bytes of a kernel file: this word, then CRC-32 of all before it
constexpr size_t SEAL_BYTES = sizeof SEAL - 1 + sizeof(uint32_t);

// `lib` of the folder lib/libascendcl.so lies in; "" when it is not known.
std::string Folder()
{
    Dl_info info = {};
    static const int here = 0;
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) {
        return "";
    }
    const std::string library = info.dli_fname;
    const size_t slash = library.rfind('/');
    return (slash == std::string::npos ? std::string(".") : library.substr(0, slash)) + "/fiagen";
}

std::string Read(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

struct Built {
    bool known = false;
    FiagenSimChip chip = {};
    std::string soc;
};

// What `chip.bin` and `soc.txt` say; a chip of another interface is none.
const Built& Facts()
{
    static const Built built = [] {
        Built read;
        const std::string folder = Folder();
        const std::string chip = folder.empty() ? "" : Read(folder + "/chip.bin");
        uint32_t version = 0;
        if (chip.size() == sizeof version + sizeof read.chip) {
            std::memcpy(&version, chip.data(), sizeof version);
            std::memcpy(&read.chip, chip.data() + sizeof version, sizeof read.chip);
            read.soc = Read(folder + "/soc.txt");
            read.soc.erase(read.soc.find_last_not_of('\n') + 1);
            read.known = version == FIAGEN_SIM_ABI_VERSION;
        }
        return read;
    }();
    return built;
}

uint32_t Crc32(const char* data, size_t size)
{
    static const std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> made{};
        for (uint32_t byte = 0; byte < 256; ++byte) {
            uint32_t value = byte;
            for (int bit = 0; bit < 8; ++bit) {
                value = (value & 1) != 0 ? 0xEDB88320U ^ (value >> 1) : value >> 1;
            }
            made[byte] = value;
        }
        return made;
    }();
    uint32_t crc = 0xFFFFFFFFU;
    for (size_t index = 0; index < size; ++index) {
        crc = table[(crc ^ static_cast<uint8_t>(data[index])) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

bool Whole(const std::string& path)
{
    const std::string bytes = Read(path);
    if (bytes.size() < SEAL_BYTES || bytes.compare(bytes.size() - SEAL_BYTES, sizeof SEAL - 1, SEAL) != 0) {
        return false;
    }
    uint32_t told = 0;
    std::memcpy(&told, bytes.data() + bytes.size() - sizeof told, sizeof told);
    return told == Crc32(bytes.data(), bytes.size() - SEAL_BYTES);
}

// Runs the command of `maker.txt` (one argument a line) with the kernel's name as its last argument; it prints a path.
std::string Make(const std::string& folder, const std::string& kernel, std::string& why)
{
    std::vector<std::string> words;
    std::ifstream file(folder + "/maker.txt");
    for (std::string line; std::getline(file, line);) {
        words.push_back(line);
    }
    if (words.empty()) {
        why = "it was not built ahead of time, and " + folder + "/maker.txt does not say how to make it";
        return "";
    }
    words.push_back(kernel);
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    int ends[2] = {};
    if (pipe(ends) != 0) {
        why = std::string("no pipe to the kernel maker: ") + std::strerror(errno);
        return "";
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string said;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; failed == 0 && ((got = read(ends[0], part.data(), part.size())) > 0 || (got < 0 && errno == EINTR));) {
        said.append(part.data(), got > 0 ? static_cast<size_t>(got) : 0);
    }
    close(ends[0]);
    int status = 0;
    while (failed == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    said.erase(said.find_last_not_of('\n') + 1);
    if (failed != 0 || status != 0 || !Whole(said)) {
        why = failed != 0 ? words[0] + " cannot be started: " + std::strerror(failed)
                          : "the kernel maker gave no kernel; it says why on stderr";
        return "";
    }
    return said;
}

}  // namespace

const FiagenSimChip* Chip()
{
    return Facts().known ? &Facts().chip : nullptr;
}

const char* SocName()
{
    return Facts().known ? Facts().soc.c_str() : nullptr;
}

std::string KernelPath(const std::string& kernel, std::string& why)
{
    const std::string folder = Folder();
    if (!Facts().known) {
        why = "no kernel resolver is set (fiagenSetKernelResolver), and the library lies in no folder made by `fiagen build --library`";
        return "";
    }
    const std::string ahead = folder + "/kernels/" + kernel + ".so";
    return Whole(ahead) ? ahead : Make(folder, kernel, why);
}

}  // namespace fiagen::home
