// SPDX-License-Identifier: MIT
// hiprtc: source text to code object, loaded as a module, launched by name; a module's variable.
#include <hip/hiprtc.h>

#include <string>
#include <vector>

#include "check.h"

const char* const kSource = R"(
extern "C" __device__ int offset = 40;
extern "C" __global__ void shift(int* data, int by) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += by + offset;
}
)";

int main() {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  hiprtcProgram program;
  const std::string target = std::string("--gpu-architecture=") + properties.gcnArchName;
  const char* options[] = {target.c_str()};
  if (hiprtcCreateProgram(&program, kSource, "shift.cu", 0, nullptr, nullptr)) return 3;
  if (hiprtcCompileProgram(program, 1, options)) {
    size_t size = 0;
    hiprtcGetProgramLogSize(program, &size);
    std::vector<char> log(size + 1);
    hiprtcGetProgramLog(program, log.data());
    std::printf("%s\n", log.data());
    return 3;
  }
  size_t size = 0;
  if (hiprtcGetCodeSize(program, &size)) return 3;
  std::vector<char> code(size);
  if (hiprtcGetCode(program, code.data())) return 3;
  hiprtcDestroyProgram(&program);

  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoadData(&module, code.data()));
  HIP(hipModuleGetFunction(&function, module, "shift"));
  hipDeviceptr_t variable;
  size_t bytes = 0;
  HIP(hipModuleGetGlobal(&variable, &bytes, module, "offset"));
  expect("size of the variable", 0, bytes, sizeof(int));
  int offset = 2, by = 3, *data, host[128] = {};
  HIP(hipMemcpy(variable, &offset, sizeof offset, hipMemcpyHostToDevice));
  HIP(hipMalloc(&data, sizeof host));
  HIP(hipMemset(data, 0, sizeof host));
  void* arguments[] = {&data, &by};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i) expect("data", i, host[i], 5);
  HIP(hipModuleUnload(module));
  return finish();
}
