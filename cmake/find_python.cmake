# Finds a Python that has what the module and its tests need: UPDRAFT_PYTHON where that is given, else
# /usr/bin/python3, to which Debian's packages belong, else the first python3 on PATH that will do. The
# first on PATH is often another one, without numpy. Leaves it in Python_EXECUTABLE.
set(UPDRAFT_PYTHON "" CACHE FILEPATH "The Python to build the module for; empty: the first that will do")

set(probe [[
import importlib.util, os, sys, sysconfig
lacks = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
if not os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')):
    lacks.append('Python.h')
if sys.version_info < (3, 9):
    lacks.append('version 3.9')
print(', '.join(lacks))
]])

set(wanted numpy)
if(UPDRAFT_BUILD_TESTS)
  list(APPEND wanted pytest)
endif()

if(UPDRAFT_PYTHON)
  set(candidates ${UPDRAFT_PYTHON})
else()
  set(candidates /usr/bin/python3)
  string(REPLACE ":" ";" folders "$ENV{PATH}")
  foreach(folder IN LISTS folders)
    list(APPEND candidates ${folder}/python3)
  endforeach()
  list(REMOVE_DUPLICATES candidates)
endif()

set(refused "")
unset(found)
foreach(candidate IN LISTS candidates)
  if(NOT EXISTS ${candidate})
    continue()
  endif()
  execute_process(COMMAND ${candidate} -c "${probe}" ${wanted} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE lacks ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    string(APPEND refused "\n  ${candidate} does not run")
  elseif(lacks)
    string(APPEND refused "\n  ${candidate} has no ${lacks}")
  else()
    set(found ${candidate})
    break()
  endif()
endforeach()

if(NOT found)
  list(JOIN wanted " and " wanted)
  message(FATAL_ERROR
    "The Python module needs a Python 3.9 or newer with its headers, ${wanted}.${refused}\n"
    "On Debian: apt install python3-dev python3-numpy python3-pytest. Another Python is named with "
    "-DUPDRAFT_PYTHON=/path/to/python3; without the module: -DUPDRAFT_BUILD_PYTHON=OFF.")
endif()
set(Python_EXECUTABLE ${found})
set(UPDRAFT_PYTHON_USED ${found} CACHE INTERNAL "The Python that the module is built for")
