#pragma once

// Definitions of http_connection.h; only for http_server.cc.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "service/http_connection.h"

namespace updraft {

/// Bytes of a body that come unasked: so small bodies pass when large ones take all that there is.
inline constexpr std::size_t kSmallBody = 64 * 1024;
/// The line before a chunk, and all lines after the last one.
inline constexpr std::size_t kLongestChunkLine = 16 * 1024;
inline constexpr std::size_t kHeadPiece = 4 * 1024;
inline constexpr std::size_t kBodyPiece = 64 * 1024;
inline constexpr std::size_t kLargestBodyPiece = 512 * 1024;
inline constexpr std::size_t kWritePiece = 1 << 20;

inline void HttpConnection::start(std::shared_ptr<asio::ssl::context> tls) {
  loop_.waits(*this);
  if (!tls) return wait_for_request();
  context_ = std::move(tls);
  tls_.emplace(socket_, *context_);
  deadline_ = Clock::now() + loop_.limits().head_time;
  tls_->async_handshake(asio::ssl::stream_base::server,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                          if (self->state_ == State::kClosed) return;
                          if (error) return self->close();
                          self->wait_for_request();
                        });
}

inline void HttpConnection::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  release_body();
  boost::system::error_code ignored;
  socket_.shutdown(Tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  loop_.closed(*this);
}

inline void HttpConnection::stop() {
  switch (state_) {
    case State::kBody:
      return refuse(503, "the service is stopping: nothing was changed; try again");
    case State::kWorking:
    case State::kWriting:
    case State::kFarewell:
      keeps_alive_ = false;
      return;
    default:
      return close();
  }
}

// Reading.

inline void HttpConnection::wait_for_request() {
  state_ = State::kWaiting;
  deadline_ = Clock::now() + loop_.limits().keep_alive;
  parser_.reset();
  request_ = {};
  searched_ = 0;
  keeps_alive_ = true;
  unread_body_ = false;
  is_head_method_ = false;
  loop_.waits(*this);
  if (buffer_.size() == 0) buffer_ = {};  // an idle connection holds no memory for long requests
  proceed();
}

inline void HttpConnection::read() {
  const asio::mutable_buffer space =
      buffer_.prepare(state_ == State::kBody ? body_piece() : kHeadPiece);
  reading_ = true;
  read_some(space,
            [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
              self->reading_ = false;
              if (self->state_ == State::kClosed || self->state_ == State::kWriting) return;
              if (error) return self->close();
              if (self->state_ == State::kFarewell) return self->discard();  // stop() has answered
              self->received(bytes);
            });
}

/// Larger ones for bodies that have come so far.
inline std::size_t HttpConnection::body_piece() const {
  return std::clamp(parser_->get().body().size(), kBodyPiece, kLargestBodyPiece);
}

inline void HttpConnection::received(std::size_t bytes) {
  buffer_.commit(bytes);
  if (state_ == State::kBody) {
    deadline_ = std::min(request_end_, Clock::now() + loop_.limits().silence);
  }
  try {
    proceed();
  } catch (const std::bad_alloc&) {
    refuse(503, "out of memory: nothing was changed; try again");
  }
}

inline void HttpConnection::proceed() { state_ == State::kBody ? take_body() : look_for_head(); }

inline void HttpConnection::look_for_head() {
  std::string_view text(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  while (state_ == State::kWaiting && text.starts_with("\r\n")) {  // RFC 9112, section 2.2
    buffer_.consume(2);
    text.remove_prefix(2);
  }
  if (text.empty()) return read();
  if (state_ == State::kWaiting && text != "\r") {
    state_ = State::kHead;
    request_.start = Clock::now();
    deadline_ = request_.start + loop_.limits().head_time;
    request_end_ = request_.start + loop_.limits().request_time;
  }
  for (std::size_t at = text.find('\n', searched_); at != text.npos; at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return refuse(400, "a line must end with CR LF");
    if (at >= 3 && text[at - 2] == '\n') return take_head(at + 1);
  }
  searched_ = text.size();
  if (text.size() > loop_.limits().head_bytes) return refuse(431, "the headers are too long");
  read();
}

inline int status_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  return error == http::error::bad_version ? 505 : 400;
}

inline std::string_view text_of_status(int status) {
  switch (status) {
    case 413:
      return "the body is too large";
    case 431:
      return "the headers are too long";
    case 505:
      return "the version must be HTTP/1.0 or HTTP/1.1";
    default:
      return "the request cannot be read";
  }
}

inline RequestHead head_of(const http::request<GrowingBody>& message) {
  const auto view = [](auto text) { return std::string_view(text.data(), text.size()); };
  RequestHead head = {.method = view(message.method_string()),
                      .target = view(message.target()),
                      .http_1_0 = message.version() < 11,
                      .headers = {}};
  for (const auto& field : message) {
    head.headers.emplace_back(view(field.name_string()), view(field.value()));
  }
  return head;
}

inline void HttpConnection::take_head(std::size_t size) {
  const std::string_view text(static_cast<const char*>(buffer_.data().data()), size);
  if (size > loop_.limits().head_bytes) return refuse(431, "the headers are too long");
  if (has_folded_header(text)) return refuse(400, "a header must be on one line");
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(loop_.limits().head_bytes + 1));
  parser_->body_limit(loop_.limits().body_bytes);
  boost::system::error_code error;
  const std::size_t taken = parser_->put(asio::buffer(text), error);
  if (!error && (!parser_->is_header_done() || taken != size)) error = http::error::bad_field;
  if (error) return refuse(status_of(error), text_of_status(status_of(error)));
  buffer_.consume(size);
  const RequestHead head = head_of(parser_->get());
  request_.method = head.method;
  is_head_method_ = head.method == "HEAD";
  keeps_alive_ = parser_->keep_alive();
  unread_body_ = head.is_chunked() || head.length() > 0;
  if (auto refused = check_head(head)) return refuse(std::move(*refused));
  if (auto refused = loop_.admit(head, request_)) {
    if (unread_body_ || refused->status == 400) return refuse(std::move(*refused));
    loop_.waits_no_longer(*this);
    return finish(request_, std::move(*refused));
  }
  if (head.length() > loop_.limits().body_bytes) return refuse(413, text_of_status(413));
  expects_continue_ = unread_body_ && head.count("Expect") > 0 && !head.http_1_0;
  loop_.waits_no_longer(*this);
  if (!unread_body_) return work();
  begin_body();
}

inline void HttpConnection::begin_body() {
  state_ = State::kBody;
  deadline_ = std::min(request_end_, Clock::now() + loop_.limits().silence);
  parser_->eager(true);
  if (!expects_continue_) return take_body();
  // A few bytes, which fit into what the system keeps for a socket from which nothing was sent.
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  write_some(asio::buffer(kContinue),
             [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
               if (self->state_ != State::kBody) return;
               if (error) return self->close();
               self->take_body();
             });
}

inline void HttpConnection::take_body() {
  while (!parser_->is_done()) {
    if (buffer_.size() == 0) return read();
    boost::system::error_code error;
    const std::size_t taken = parser_->put(buffer_.data(), error);
    buffer_.consume(taken);
    if (error == http::error::need_more) {
      if (buffer_.size() > kLongestChunkLine) return refuse(400, text_of_status(400));
      if (!count_body()) return;
      return read();
    }
    if (error) return refuse(status_of(error), text_of_status(status_of(error)));
    if (!count_body()) return;
  }
  unread_body_ = false;
  work();
}

inline bool HttpConnection::count_body() {
  const std::size_t size = parser_->get().body().size();
  if (size <= kSmallBody || size == counted_body_) return true;
  if (!loop_.take_body_bytes(size - counted_body_)) {
    refuse(503, "too many large requests are under way: nothing was changed; try again");
    return false;
  }
  counted_body_ = size;
  return true;
}

inline void HttpConnection::release_body() {
  loop_.give_back_body_bytes(counted_body_);
  counted_body_ = 0;
}

inline void HttpConnection::work() {
  state_ = State::kWorking;
  deadline_ = Clock::time_point::max();
  request_.body = std::move(parser_->get().body());
  parser_.reset();
  loop_.work_on(shared_from_this(), std::move(request_));
}

// Answering.

inline void HttpConnection::refuse(HttpAnswer answer) {
  loop_.waits_no_longer(*this);
  keeps_alive_ = false;
  unread_body_ = true;  // or whatever the client may still send
  finish(request_, std::move(answer));
}

inline void HttpConnection::finish(const WholeRequest& request, HttpAnswer answer) {
  if (state_ == State::kClosed) return;
  release_body();
  if (loop_.stopping()) keeps_alive_ = false;
  loop_.answered(request, answer);
  write(answer, is_head_method_ || answer.status == 304);
}

inline void HttpConnection::write(const HttpAnswer& answer, bool without_body) {
  state_ = State::kWriting;
  const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
  out_ = fmt::format("HTTP/1.1 {} {}\r\n", answer.status,
                     std::string_view(reason.data(), reason.size()));
  const auto add = [&](std::string_view name, std::string_view value) {
    out_.append(name).append(": ").append(value).append("\r\n");
  };
  add("X-Content-Type-Options", "nosniff");
  const bool may_be_kept =
      std::any_of(answer.headers.begin(), answer.headers.end(),
                  [](const auto& header) { return header.first == "Cache-Control"; });
  if (!may_be_kept) add("Cache-Control", "no-store");
  if (loop_.is_tls()) add("Strict-Transport-Security", "max-age=31536000");
  if (answer.status != 304) {
    add("Content-Type", answer.type);
    add("Content-Length", std::to_string(answer.body.size()));
  }
  for (const auto& [name, value] : answer.headers) add(name, value);
  add("Connection", keeps_alive_ ? "keep-alive" : "close");
  out_ += "\r\n";
  if (!without_body) out_ += answer.body;
  out_written_ = 0;
  write_on();
}

inline void HttpConnection::write_on() {
  deadline_ = Clock::now() + loop_.limits().silence;
  const std::size_t size = std::min(out_.size() - out_written_, kWritePiece);
  write_some(
      asio::buffer(out_.data() + out_written_, size),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
        if (self->state_ == State::kClosed) return;
        if (error) return self->close();
        self->out_written_ += bytes;
        if (self->out_written_ < self->out_.size()) return self->write_on();
        self->written();
      });
}

inline void HttpConnection::written() {
  out_ = {};
  if (keeps_alive_ && !loop_.stopping()) return wait_for_request();
  end_after_answer();
}

/// What a client is still sending is read and thrown away for a moment: to close at once would tell
/// its system to forget the answer.
inline void HttpConnection::end_after_answer() {
  state_ = State::kFarewell;
  deadline_ = Clock::now() + loop_.limits().farewell;
  loop_.waits(*this);
  if (tls_) {
    if (reading_) return close();
    tls_->async_shutdown(
        [self = shared_from_this()](const boost::system::error_code&) { self->close(); });
    return;
  }
  boost::system::error_code ignored;
  socket_.shutdown(Tcp::socket::shutdown_send, ignored);
  if (!unread_body_) return close();
  discard();
}

inline void HttpConnection::discard() {
  if (reading_) return;  // which goes on here
  buffer_.clear();
  read_some(buffer_.prepare(kBodyPiece),
            [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
              if (self->state_ == State::kClosed) return;
              if (error) return self->close();
              self->discard();
            });
}

}  // namespace updraft
