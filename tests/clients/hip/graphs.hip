// SPDX-License-Identifier: MIT
// A graph captured from a stream, and one built of nodes; each launched several times.
#include "check.h"

__global__ void increment(int* data, int by) { data[threadIdx.x] += by; }

int main() {
  int *data, host[64] = {};
  hipStream_t stream;
  HIP(hipMalloc(&data, sizeof host));
  HIP(hipMemset(data, 0, sizeof host));
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  hipGraphExec_t ready;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  increment<<<1, 64, 0, stream>>>(data, 1);
  increment<<<1, 64, 0, stream>>>(data, 10);
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 5; ++i) HIP(hipGraphLaunch(ready, stream));
  HIP(hipStreamSynchronize(stream));

  hipGraph_t built;
  hipGraphExec_t built_ready;
  hipGraphNode_t first, second;
  int by = 100;
  void* arguments[] = {&data, &by};
  hipKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(increment);
  launch.gridDim = dim3(1), launch.blockDim = dim3(64);
  launch.kernelParams = arguments;
  HIP(hipGraphCreate(&built, 0));
  HIP(hipGraphAddKernelNode(&first, built, nullptr, 0, &launch));
  HIP(hipGraphAddMemcpyNode1D(&second, built, &first, 1, host, data, sizeof host,
                              hipMemcpyDeviceToHost));
  HIP(hipGraphInstantiate(&built_ready, built, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(built_ready, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < 64; ++i) expect("data", i, host[i], 155);
  HIP(hipGraphExecDestroy(ready));
  HIP(hipGraphDestroy(graph));
  return finish();
}
