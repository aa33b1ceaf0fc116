"""The service as a process of its own, and requests to it."""

import json
import pathlib
import signal
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE = 30.0  # seconds until a start counts as failed


class Service:
    """`updraft serve` on a port of its own and a store in `folder`; ends with close()."""

    def __init__(self, program, folder, *options):
        self._program = program
        self._folder = pathlib.Path(folder)
        self._options = [str(option) for option in options]
        self._starts = 0
        self._process = None
        self.port = 0
        self.token = None
        self.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def page(self):
        return f"{self.address}/"

    def campaign_page(self, name):
        return f"{self.address}/#/{name}"

    def start(self):
        """Again on the same port, where it ran before."""
        self._starts += 1
        out = self._folder / f"out{self._starts}"
        err = self._folder / f"err{self._starts}"
        words = [self._program, "serve", "--store", str(self._folder / "campaigns.db"),
                 "--listen", f"127.0.0.1:{self.port}", *self._options]
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            self._process = subprocess.Popen(words, stdout=out_file, stderr=err_file)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            line = out.read_text()
            if line.startswith("listening on http") and line.endswith("\n"):
                self.port = int(line.strip().rsplit(":", 1)[1])
                if self._healthy():
                    return
            time.sleep(0.01)
        self.kill()
        raise RuntimeError("updraft serve is not healthy: " + err.read_text())

    def move(self, folder):
        """The store in `folder` from the next start on."""
        self._folder = pathlib.Path(folder)

    def kill(self):
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    close = kill

    def request(self, method, path, body=None):
        """The answer's JSON; a refusal is a urllib.error.HTTPError."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method)
        if self.token is not None:
            request.add_header("Authorization", "Bearer " + self.token)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def create(self, name, **definition):
        return self.request("POST", "/v1/campaigns", {"name": name, **definition})

    def decide(self, name, **body):
        return self.request("POST", f"/v1/campaigns/{name}/decisions", body)

    def pay(self, name, decision, **body):
        return self.request("PUT", f"/v1/campaigns/{name}/decisions/{decision}/payoffs", body)

    def play(self, name, rounds, payoffs):
        """So many decisions, each with payoffs at once: `payoffs(action)` is {"payoffs": ...} or the like."""
        for _ in range(rounds):
            decision = self.decide(name)
            self.pay(name, decision["decision"], **payoffs(decision["action"]))

    def report(self, name):
        return self.request("GET", f"/v1/campaigns/{name}/report?sets=count")

    def _healthy(self):
        try:
            urllib.request.urlopen(self.address + "/readyz", timeout=PATIENCE).close()
            return True
        except (urllib.error.URLError, ConnectionError):
            return False
