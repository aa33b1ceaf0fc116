"""A proxy in front of the service: under a prefix, and with answers of its own where a test wants them."""

import http.client
import http.server
import threading

PREFIX = "/campaigns-of-a-shop"
NOT_FORWARDED = ("connection", "keep-alive", "transfer-encoding", "content-length", "host")


class Proxy:
    def __init__(self, service):
        self.status = None  # of all answers under v1, where it is not None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if not self.path.startswith(PREFIX + "/"):
                    self.send_error(404)
                elif proxy.status is not None and "/v1/" in self.path:
                    self.answer(proxy.status, [], b'{"error": {"message": "not now"}}')
                else:
                    connection = http.client.HTTPConnection("127.0.0.1", service.port)
                    connection.request("GET", self.path.removeprefix(PREFIX), headers={
                        name: value for name, value in self.headers.items() if name.lower() not in NOT_FORWARDED})
                    answer = connection.getresponse()
                    self.answer(answer.status, answer.getheaders(), answer.read())
                    connection.close()

            def answer(self, status, headers, body):
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in NOT_FORWARDED:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}{PREFIX}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
