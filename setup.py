"""How pip builds the package: CMake compiles its module. What the package is: pyproject.toml.

UPDRAFT_CMAKE_BUILD names a folder that CMake has configured with UPDRAFT_BUILD_PYTHON=ON, from
which the module is then taken; without it, everything is compiled in build/pip.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = "build/pip"


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        if shutil.which("cmake") is None:
            sys.exit("updraft is compiled with cmake, which was not found (Debian: apt install cmake)")
        given = os.environ.get("UPDRAFT_CMAKE_BUILD")
        folder = pathlib.Path(given).resolve() if given else ROOT / self.build_temp / "cmake"
        if not given:
            self.configure(folder)
        subprocess.run(["cmake", "--build", folder, "--target", "updraft_python"], check=True)
        name = pathlib.Path(self.get_ext_filename(ext.name)).name
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        compiled = folder / "python" / "updraft" / name
        if not compiled.exists():
            sys.exit(f"{folder} has no {name}: it was configured for another Python")
        shutil.copy2(compiled, target)

    def configure(self, folder):
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "UPDRAFT_BUILD_PYTHON": "ON",
            "UPDRAFT_BUILD_CLI": "OFF",
            "UPDRAFT_BUILD_TESTS": "OFF",
            "UPDRAFT_PYTHON": sys.executable,
        }
        try:
            import pybind11

            options["pybind11_DIR"] = pybind11.get_cmake_dir()
        except ImportError:
            pass  # Debian's pybind11-dev is found without
        command = ["cmake", "-S", ROOT, "-B", folder]
        if shutil.which("ninja"):
            command += ["-G", "Ninja"]
        command += [f"-D{name}={value}" for name, value in options.items()]
        subprocess.run(command, check=True)


(ROOT / BUILD).mkdir(parents=True, exist_ok=True)
setup(
    ext_modules=[Extension("updraft._updraft", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": BUILD}, "egg_info": {"egg_base": BUILD}},
)
