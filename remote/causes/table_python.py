"""Failures of Python programs, NumPy and Keras, and of their data."""

from __future__ import annotations

from remote.causes.pattern import Pattern

PYTHON = (
    Pattern(
        kind="module not found",
        message=r"ModuleNotFoundError: No module named '[\w.]+'",
        meaning="The Python of this node does not have that package, or your code is not there.",
        remedy="Add it to environment.packages, name the Python that has it, or set training.code.",
        sample="ModuleNotFoundError: No module named 'tensorflow_datasets'",
    ),
    Pattern(
        kind="module not found by -m",
        message=r"^\S*python[\d.]*: No module named [\w.]+$",
        meaning="The Python of this node does not have that package, or your code is not there.",
        remedy="Add it to environment.packages, name the Python that has it, or set training.code.",
        sample="/usr/bin/python3: No module named trainer",
        where="line",
    ),
    Pattern(
        kind="numpy too new",
        message=r"numpy\.core\.multiarray failed to import|_ARRAY_API not found"
        r"|numpy\.dtype size changed, may indicate binary incompatibility",
        meaning="A package was built for another major version of NumPy than the installed one.",
        remedy="Install versions that belong together, for example numpy<2 with older packages.",
        sample="ImportError: numpy.core.multiarray failed to import",
    ),
    Pattern(
        kind="system library too old",
        message=r"(?:version `GLIBC(?:XX)?_[\d.]+' not found)",
        meaning="The package was built for a newer system than this node's.",
        remedy="Load a newer compiler's module (gcc), or use an older version of the package.",
        sample="ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not "
        "found (required by /v/lib/python3.9/site-packages/pandas/_libs/window.so)",
    ),
    Pattern(
        kind="shared library missing",
        message=r"(?:ImportError|OSError): \S+\.so[\w.]*: cannot open shared object file"
        r"|error while loading shared libraries: \S+:",
        meaning="A library that the program needs is not on this node, or not on its search path.",
        remedy="Load its module in environment.setup, or extend LD_LIBRARY_PATH there.",
        sample="ImportError: libcublas.so.12: cannot open shared object file: No such file or "
        "directory",
    ),
    Pattern(
        kind="python too old",
        message=r"SyntaxError: (?:invalid syntax|future feature annotations is not defined)"
        r"|TypeError: '(?:type|ABCMeta)' object is not subscriptable"
        r"|TypeError: unsupported operand type\(s\) for \|: 'type' and",
        meaning="The code has an error there, or is written for a newer Python than this node's.",
        remedy="Look at that line; if it is right, set environment.python to a newer Python.",
        sample="TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'",
    ),
    Pattern(
        kind="tensorflow version",
        message=r"AttributeError: module 'tensorflow(?:\.[\w.]+)?' has no attribute '\w+'"
        r"|ImportError: cannot import name '\w+' from '(?:tensorflow|keras)[\w.]*'"
        r"|ModuleNotFoundError: No module named 'tensorflow\.(?:contrib|keras|python)[\w.]*'",
        meaning="The code is written for another version of TensorFlow or Keras.",
        remedy="Name the version that it needs in environment.packages, or change the code.",
        sample="AttributeError: module 'tensorflow' has no attribute 'placeholder'",
    ),
    Pattern(
        kind="out of memory in numpy",
        message=r"(?:_ArrayMemoryError|MemoryError): Unable to allocate [\d.]+ \w+"
        r"|^MemoryError\b|^(?:numpy\S+)?_ArrayMemoryError\b",
        meaning="The node has not as much memory as the program asked for.",
        remedy="Load less data at a time, use a smaller batch, or a node with more memory.",
        sample="numpy._core._exceptions._ArrayMemoryError: Unable to allocate 256. TiB for an "
        "array with shape (35184372088832,) and data type float64",
    ),
    Pattern(
        kind="input shape",
        message=r"is incompatible with the layer: expected"
        r"|Matrix size-incompatible: In\[0\]|Incompatible shapes: \["
        r"|Input to reshape is a tensor with \d+ values|shapes \(.*\) and \(.*\) not aligned"
        r"|could not broadcast input array from shape",
        meaning="The data have another shape than the model expects.",
        remedy="Compare the shape of one example with the model's input_shape.",
        sample="Input 0 with name 'None' of layer 'dense' is incompatible with the layer: "
        "expected axis -1 of input shape to have value 4, but received input with shape (2, 5)",
    ),
    Pattern(
        kind="label out of range",
        message=r"Received a label value of -?\d+ which is outside the valid range of",
        meaning="The data have more classes than the model's last layer has outputs.",
        remedy="Give the last layer one output for each class; labels count from 0.",
        sample="Received a label value of 10 which is outside the valid range of [0, 10).  Label "
        "values: 3 10 8 5 0",
    ),
    Pattern(
        kind="file not found",
        message=r"FileNotFoundError: |File not found: filepath="
        r"|can't open file '.*': \[Errno 2\]|NotFoundError: .*No such file or directory",
        meaning="The file is not on this node, or the path is meant relative to another folder.",
        remedy="A script finds its files under CLEW_CODE, CLEW_DATA and CLEW_CHECKPOINTS.",
        sample="FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
    ),
    Pattern(
        kind="script not found",
        message=r"^\S*python[\d.]*: can't open file '.*': \[Errno 2\]",
        meaning="The program is not on this node.",
        remedy="Set training.code to the folder that has it; it is sent with the run.",
        sample="/usr/bin/python3: can't open file '/home/ana/train.py': [Errno 2] No such file or "
        "directory",
        where="line",
    ),
    Pattern(
        kind="permission",
        message=r"PermissionError: \[Errno 13\]|PermissionDeniedError: ",
        meaning="This account may not read or write that file on this node.",
        remedy="Change the file's permissions, or use another folder.",
        sample="PermissionError: [Errno 13] Permission denied: '/data/out'",
    ),
    Pattern(
        kind="wrong arguments",
        message=r"^\S+: error: (?:unrecognized arguments|the following arguments are required|"
        r"argument .+: (?:invalid|expected))",
        meaning="The program does not know the arguments that it was given.",
        remedy="Correct training.command.",
        sample="train.py: error: unrecognized arguments: --epoch 3",
        where="line",
    ),
    Pattern(
        kind="command not found",
        message=r"(?:^|: )(?:line \d+: )?[^:\s]+: (?:command )?not found$",
        meaning="A program that environment.setup or the command calls is not on this node.",
        remedy="Correct the name, or load the module that has it in environment.setup.",
        sample="/bin/sh: 1: nvcc: not found",
        where="line",
    ),
)
