// SPDX-License-Identifier: MIT
// Result<T>: a value or a message for a person. Used at library edges, where bad input is an
// ordinary case.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

struct Error {
  std::string message;  ///< one line; says what is wrong, where, and what to do if that is known
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const std::string& error() const { return std::get<1>(state_).message; }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  explicit operator bool() const { return ok_; }
  const std::string& error() const { return error_.message; }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace lockstep
