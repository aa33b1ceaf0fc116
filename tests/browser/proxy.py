"""A proxy in front of the service: under a prefix, and with answers of its own where a test wants them."""

import http.client
import http.server
import json
import threading

PREFIX = "/campaigns-of-a-shop"
NOT_FORWARDED = ("connection", "keep-alive", "transfer-encoding", "content-length", "host", "accept-encoding")


class Proxy:
    def __init__(self, service):
        self._refused = {}  # part of the address: status and message
        self._changed = {}  # part of the address: what to make of the answer's JSON
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if not self.path.startswith(PREFIX + "/"):
                    self.send_error(404)
                elif refusal := proxy._of(proxy._refused, self.path):
                    status, message = refusal
                    self.answer(status, [], json.dumps({"error": {"message": message}}).encode())
                else:
                    connection = http.client.HTTPConnection("127.0.0.1", service.port)
                    connection.request("GET", self.path.removeprefix(PREFIX), headers={
                        name: value for name, value in self.headers.items() if name.lower() not in NOT_FORWARDED})
                    answer = connection.getresponse()
                    body = answer.read()
                    connection.close()
                    change = proxy._of(proxy._changed, self.path)
                    if change and answer.status == 200:
                        body = json.dumps(change(json.loads(body))).encode()
                    self.answer(answer.status, answer.getheaders(), body)

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

    @property
    def page(self):
        return f"{self.address}/"

    def campaign_page(self, name):
        return f"{self.address}/#/{name}"

    def refuse(self, part, status, message):
        """From now on, addresses with `part` in them."""
        self._refused[part] = (status, message)

    def change(self, part, change):
        """From now on answers for addresses with `part` in them are what `change` makes of their JSON."""
        self._changed[part] = change

    def let_through(self):
        """Everything as it is from now on."""
        self._refused = {}
        self._changed = {}

    @staticmethod
    def _of(table, address):
        return next((value for part, value in list(table.items()) if part in address), None)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
