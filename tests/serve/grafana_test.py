"""The dashboard for Grafana against a real Prometheus: every expression gives numbers.

Usage: grafana_test.py PROGRAM DASHBOARD. Exit code 77 (skipped) if Prometheus is not installed.
"""

import json
import math
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "browser"))
from service import Service  # noqa: E402

PATIENCE = 120.0  # seconds until a wait counts as failed
ROUTE = "/v1/campaigns/spring/decisions"
CONFIG = """
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: updraft
    authorization: {{credentials: {token}}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
TOKEN = "token-of-prometheus-0123456789"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def request(address, body=None, token=TOKEN):
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(address, data, {"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return answer.read().decode()


def values(prometheus, expression):
    """The numbers of an instant query; all that is not a success is an error."""
    address = f"{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    answer = json.loads(request(address))
    assert answer["status"] == "success", (expression, answer)
    return [float(series["value"][1]) for series in answer["data"]["result"]]


def expressions(dashboard):
    for panel in json.loads(dashboard.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def gives_numbers(prometheus, expression):
    found = values(prometheus, expression)
    return bool(found) and not any(math.isnan(value) for value in found)


def check_names(metrics, dashboard):
    """promtool takes what the service says, and the dashboard asks for nothing else."""
    lint = subprocess.run(["promtool", "check", "metrics"], input=metrics, text=True,
                          capture_output=True)
    assert lint.returncode in (0, 3), lint.stderr  # 3: matters of style
    text = dashboard.read_text()
    names = {line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE ")}
    asked = {word for expression in (e for _, e in expressions(dashboard))
             for word in expression.replace("(", " ").replace("{", " ").replace("[", " ").split()
             if word.startswith("updraft_")}
    unknown = {name for name in asked if name.removesuffix("_bucket") not in names}
    assert asked and not unknown, unknown
    assert "datasource" in text


def main():
    program, dashboard = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("skipped: Prometheus is not installed (Debian's package prometheus)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tokens").write_text(f"{TOKEN} name=prometheus\n")
        service = Service(program, folder, "--token-file", folder / "tokens")
        port = free_port()
        (folder / "prometheus.yml").write_text(CONFIG.format(token=TOKEN, port=service.port))
        prometheus = f"http://127.0.0.1:{port}"
        with open(folder / "prometheus.log", "wb") as log:
            process = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yml",
                 f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
                stdout=log, stderr=log)
        try:
            request(f"{service.address}/v1/campaigns",
                    {"name": "spring", "policy": "ucb(alpha=1)", "actions": 2, "variables": 2})
            missing = list(expressions(dashboard))
            end = time.monotonic() + PATIENCE
            while missing and time.monotonic() < end:
                request(service.address + ROUTE, {})
                time.sleep(0.2)
                try:
                    missing = [one for one in missing if not gives_numbers(prometheus, one[1])]
                except OSError:
                    pass  # it starts
            assert not missing, missing
            check_names(request(f"{service.address}/metrics"), dashboard)
        finally:
            process.terminate()
            process.wait()
            service.close()
    print("all expressions of the dashboard give numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
