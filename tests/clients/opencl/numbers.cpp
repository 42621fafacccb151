// SPDX-License-Identifier: MIT
// An OpenCL program from source: buffers, NDRanges, local memory, atomics, printf, events, binaries.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#define CL(call)                                                            \
  do {                                                                      \
    const cl_int cl_error_ = (call);                                        \
    if (cl_error_ != CL_SUCCESS) {                                          \
      std::printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, cl_error_); \
      std::exit(2);                                                         \
    }                                                                       \
  } while (0)

namespace {

// Without macros of OpenCL's header (barrier(1) is CLK_LOCAL_MEM_FENCE): the compiler in the runtime
// looks for their text in /usr/lib/llvm-17, and an unpacked runtime is elsewhere.
const char* const kSource = R"(
kernel void scale_add(global const float* x, global float* y, float a, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}
kernel void sum_groups(global const int* in, global int* out, local int* part) {
  const uint l = get_local_id(0), size = get_local_size(0);
  part[l] = in[get_global_id(0)];
  for (uint step = size / 2; step > 0; step /= 2) {
    barrier(1);
    if (l < step) part[l] += part[l + step];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void places(global uint* out, uint width) {  // a grid of two dimensions that starts elsewhere
  const uint x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] = x | y << 8 | (uint)get_local_id(0) << 16 | (uint)get_local_id(1) << 24;
}
kernel void histogram(global const uchar* in, global volatile uint* bins) {
  atomic_inc(&bins[in[get_global_id(0)] & 15]);
}
kernel void functions(global const float* x, global float4* out) {
  const size_t i = get_global_id(0);
  out[i] = (float4)(sqrt(x[i]), native_recip(x[i]), exp2(x[i]), convert_float(ilogb(x[i])));
}
kernel void speak(float value) {
  printf("item %d says %.2f %s\n", (int)get_global_id(0), value * get_global_id(0), "and more");
}
)";

int g_wrong = 0;

void expect(bool right, const char* what, size_t index, double got, double wanted) {
  if (!right && g_wrong++ < 8) std::printf("%s[%zu] is %g, not %g\n", what, index, got, wanted);
}

struct Machine {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;

  template <class T>
  cl_mem buffer(const std::vector<T>& from) const {
    cl_int error;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 from.size() * sizeof(T), const_cast<T*>(from.data()), &error);
    CL(error);
    return made;
  }
  template <class T>
  std::vector<T> contents(cl_mem from, size_t count) const {
    std::vector<T> to(count);
    CL(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof(T), to.data(), 0, nullptr,
                           nullptr));
    return to;
  }
};

Machine open_machine() {
  cl_platform_id platform;
  Machine machine{};
  CL(clGetPlatformIDs(1, &platform, nullptr));
  CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &machine.device, nullptr));
  cl_int error;
  machine.context = clCreateContext(nullptr, 1, &machine.device, nullptr, nullptr, &error);
  CL(error);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  machine.queue =
      clCreateCommandQueueWithProperties(machine.context, machine.device, properties, &error);
  CL(error);
  return machine;
}

cl_program build(const Machine& machine, cl_program program) {
  if (clBuildProgram(program, 1, &machine.device, "-cl-std=CL2.0", nullptr, nullptr) !=
      CL_SUCCESS) {
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                          nullptr);
    std::printf("the program does not build:\n%s\n", log.data());
    std::exit(2);
  }
  return program;
}

cl_program from_source(const Machine& machine) {
  cl_int error;
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &source, nullptr, &error);
  CL(error);
  return build(machine, program);
}

// What a program saves for its next start.
cl_program from_binary_of(const Machine& machine, cl_program built) {
  size_t size = 0;
  CL(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::vector<unsigned char> bytes(size);
  unsigned char* into = bytes.data();
  CL(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof into, &into, nullptr));
  const unsigned char* binary = bytes.data();
  cl_int status, error;
  cl_program program = clCreateProgramWithBinary(machine.context, 1, &machine.device, &size,
                                                 &binary, &status, &error);
  CL(error);
  CL(status);
  return build(machine, program);
}

cl_kernel kernel(cl_program program, const char* name) {
  cl_int error;
  cl_kernel made = clCreateKernel(program, name, &error);
  CL(error);
  return made;
}

template <class... Arguments>
cl_kernel with_arguments(cl_kernel kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (([&] { CL(clSetKernelArg(kernel, index++, sizeof arguments, &arguments)); })(), ...);
  return kernel;
}

void vectors(const Machine& machine, cl_program program) {
  constexpr cl_uint n = 5000;
  std::vector<float> x(n), y(n);
  for (cl_uint i = 0; i < n; ++i) x[i] = 0.25f * i, y[i] = 1.0f - i;
  cl_mem bx = machine.buffer(x), by = machine.buffer(y);
  const size_t global = 5120, local = 256;
  cl_event first, second;
  cl_kernel run = with_arguments(kernel(program, "scale_add"), bx, by, 2.0f, n);
  CL(clEnqueueNDRangeKernel(machine.queue, run, 1, nullptr, &global, &local, 0, nullptr, &first));
  CL(clEnqueueNDRangeKernel(machine.queue, run, 1, nullptr, &global, &local, 1, &first, &second));
  CL(clWaitForEvents(1, &second));
  const auto got = machine.contents<float>(by, n);
  for (cl_uint i = 0; i < n; ++i) expect(got[i] == 1.0f, "y", i, got[i], 1.0);

  cl_ulong before = 0;
  for (cl_event event : {first, second}) {  // in order within a command and between the two
    for (cl_profiling_info what : {CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
      cl_ulong time = 0;
      CL(clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr));
      expect(time > before, "profiled time", what, double(time), double(before));
      before = time;
    }
  }
}

void local_sums(const Machine& machine, cl_program program) {
  constexpr size_t groups = 37, local = 128, global = groups * local;
  std::vector<int> in(global), zero(groups, -1);
  for (size_t i = 0; i < global; ++i) in[i] = int(i * 7919 % 1009) - 500;
  cl_mem bin = machine.buffer(in), bout = machine.buffer(zero);
  cl_kernel run = with_arguments(kernel(program, "sum_groups"), bin, bout);
  CL(clSetKernelArg(run, 2, local * sizeof(int), nullptr));
  CL(clEnqueueNDRangeKernel(machine.queue, run, 1, nullptr, &global, &local, 0, nullptr, nullptr));
  const auto got = machine.contents<int>(bout, groups);
  for (size_t g = 0; g < groups; ++g) {
    const auto from = in.begin() + ptrdiff_t(g * local);
    const int wanted = std::accumulate(from, from + local, 0);
    expect(got[g] == wanted, "sum", g, got[g], wanted);
  }
}

void two_dimensions(const Machine& machine, cl_program program) {
  constexpr cl_uint width = 40, height = 20;
  cl_mem out = machine.buffer(std::vector<cl_uint>(width * height, 0));
  const cl_uint mark = 0xdeadbeef;
  CL(clEnqueueFillBuffer(machine.queue, out, &mark, sizeof mark, 0, width * height * sizeof mark, 0,
                         nullptr, nullptr));
  const size_t offset[] = {3, 2}, global[] = {32, 12}, local[] = {8, 4};
  CL(clEnqueueNDRangeKernel(machine.queue, with_arguments(kernel(program, "places"), out, width), 2,
                            offset, global, local, 0, nullptr, nullptr));
  cl_int error;
  const auto* got = static_cast<const cl_uint*>(
      clEnqueueMapBuffer(machine.queue, out, CL_TRUE, CL_MAP_READ, 0, width * height * sizeof mark,
                         0, nullptr, nullptr, &error));
  CL(error);
  for (cl_uint y = 0; y < height; ++y) {
    for (cl_uint x = 0; x < width; ++x) {
      const bool inside = x >= 3 && x < 35 && y >= 2 && y < 14;
      const cl_uint wanted = inside ? x | y << 8 | (x - 3) % 8 << 16 | (y - 2) % 4 << 24 : mark;
      expect(got[y * width + x] == wanted, "place", y * width + x, got[y * width + x], wanted);
    }
  }
  CL(clEnqueueUnmapMemObject(machine.queue, out, const_cast<cl_uint*>(got), 0, nullptr, nullptr));
}

void atomics(const Machine& machine, cl_program program) {
  constexpr size_t n = 4096;
  std::vector<cl_uchar> in(n);
  std::vector<cl_uint> wanted(16);
  for (size_t i = 0; i < n; ++i) in[i] = cl_uchar(i * i + 3 * i), ++wanted[in[i] & 15];
  cl_mem bins = machine.buffer(std::vector<cl_uint>(16, 0));
  CL(clEnqueueNDRangeKernel(machine.queue,
                            with_arguments(kernel(program, "histogram"), machine.buffer(in), bins),
                            1, nullptr, &n, nullptr, 0, nullptr, nullptr));
  const auto got = machine.contents<cl_uint>(bins, 16);
  for (size_t b = 0; b < 16; ++b) expect(got[b] == wanted[b], "bin", b, got[b], wanted[b]);
}

void functions(const Machine& machine, cl_program program) {
  constexpr size_t n = 100;
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = 0.5f + 0.37f * float(i);
  cl_mem out = machine.buffer(std::vector<float>(4 * n, 0));
  CL(clEnqueueNDRangeKernel(machine.queue,
                            with_arguments(kernel(program, "functions"), machine.buffer(x), out), 1,
                            nullptr, &n, nullptr, 0, nullptr, nullptr));
  const auto got = machine.contents<float>(out, 4 * n);
  for (size_t i = 0; i < n; ++i) {
    const double v = x[i];
    const double wanted[] = {std::sqrt(v), 1 / v, std::exp2(v), double(std::ilogb(v))};
    for (size_t k = 0; k < 4; ++k)
      expect(std::abs(got[4 * i + k] - wanted[k]) <= 3e-7 * std::abs(wanted[k]), "function",
             4 * i + k, got[4 * i + k], wanted[k]);
  }
}

void say(const Machine& machine, cl_program program) {
  const size_t global = 3;
  CL(clEnqueueNDRangeKernel(machine.queue, with_arguments(kernel(program, "speak"), 1.25f), 1,
                            nullptr, &global, nullptr, 0, nullptr, nullptr));
  CL(clFinish(machine.queue));
}

void wrong_source(const Machine& machine) {
  cl_int error;
  const char* source = "kernel void broken(global int* p) { *p = not_declared; }";
  cl_program program = clCreateProgramWithSource(machine.context, 1, &source, nullptr, &error);
  CL(error);
  error = clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr);
  expect(error == CL_BUILD_PROGRAM_FAILURE, "status of a wrong program", 0, error,
         CL_BUILD_PROGRAM_FAILURE);
  std::vector<char> log(1 << 16);
  CL(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                           nullptr));
  const bool named = std::string(log.data()).find("not_declared") != std::string::npos;
  expect(named, "name in the log of the compiler", 0, 0, 1);
}

}  // namespace

int main() {
  const Machine machine = open_machine();
  cl_program program = from_source(machine);
  for (cl_program each : {program, from_binary_of(machine, program)}) {
    vectors(machine, each);
    local_sums(machine, each);
    two_dimensions(machine, each);
    atomics(machine, each);
    functions(machine, each);
  }
  say(machine, program);
  wrong_source(machine);
  std::printf("%s\n", g_wrong ? "FAILED" : "PASSED");
  return g_wrong ? 1 : 0;
}
