"""Failures of GPUs, CUDA and cuDNN, and numbers that are none, as TensorFlow tells them."""

from __future__ import annotations

from remote.causes.pattern import Pattern

GPU = (
    Pattern(
        kind="gpu out of memory",
        message=r"OOM when allocating tensor|ResourceExhaustedError|RESOURCE_EXHAUSTED"
        r"|CUDA_ERROR_OUT_OF_MEMORY|Out of memory while trying to allocate"
        r"|^out of memory in a step of \d+ examples",
        meaning="The model and its batch do not fit into the device's memory.",
        remedy="Lower batch_size, or see in the Cluster page what else uses this GPU.",
        sample="tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating"
        " tensor with shape[16,112,112,147] and type float on /job:localhost/replica:0/task:0/"
        "device:GPU:0 by allocator GPU_0_bfc",
    ),
    Pattern(
        kind="cudnn version",
        message=r"Loaded runtime CuDNN library: [\d.]+.* but source was compiled with:? [\d.]+",
        meaning="TensorFlow finds an older cuDNN than it was built for.",
        remedy="Install tensorflow[and-cuda], or load a module with the newer cuDNN in "
        "environment.setup.",
        sample="E0000 00:00:1738697930.202924    7665 cuda_dnn.cc:522] Loaded runtime CuDNN "
        "library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to have matching "
        "major version and equal or higher minor version.",
        where="hint",
    ),
    Pattern(
        kind="driver mismatch",
        message=r"kernel version [\d.]+ does not match DSO version [\d.]+",
        meaning="The NVIDIA driver was updated, and the node not restarted since.",
        remedy="Have the node restarted.",
        sample="2021-09-13 23:57:29.694695: E tensorflow/stream_executor/cuda/cuda_diagnostics.cc:"
        "306] kernel version 460.56.0 does not match DSO version 470.57.2 -- cannot find working "
        "devices in this configuration",
        where="hint",
    ),
    Pattern(
        kind="no gpu",
        message=r"failed call to cuInit: |CUDA_ERROR_NO_DEVICE|no CUDA-capable device is detected",
        meaning="The driver gives this program no GPU: none is there, or it is hidden or broken.",
        remedy="Run nvidia-smi on the node; check CUDA_VISIBLE_DEVICES.",
        sample="2022-04-26 11:42:44.023487: E tensorflow/stream_executor/cuda/cuda_driver.cc:271] "
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        where="hint",
    ),
    Pattern(
        kind="cudnn",
        message=r"DNN library initialization failed|CUDNN_STATUS_NOT_INITIALIZED"
        r"|Failed to get convolution algorithm|[Cc]ould not create cudnn handle|No DNN in stream",
        meaning="cuDNN could not be started: its version does not fit, or the GPU's memory is "
        "taken.",
        remedy="Look at the lines above it; see what else uses this GPU, and which cuDNN is found.",
        sample="tensorflow.python.framework.errors_impl.FailedPreconditionError: DNN library "
        "initialization failed. Look at the errors above for more details.",
        above=True,
    ),
    Pattern(
        kind="driver too old",
        message=r"CUDA driver version is insufficient|CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
        r"|compiled with an unsupported toolchain|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        meaning="The node's NVIDIA driver is older than the CUDA that TensorFlow was built with.",
        remedy="Have the driver updated, or install a TensorFlow for that CUDA.",
        sample="tensorflow.python.framework.errors_impl.InternalError: cudaGetDevice() failed. "
        "Status: CUDA driver version is insufficient for CUDA runtime version",
    ),
    Pattern(
        kind="gpu too old",
        message=r"CUDA_ERROR_NO_BINARY_FOR_GPU|[Nn]o kernel image is available for execution",
        meaning="This TensorFlow has no code for a GPU of this generation.",
        remedy="Use a newer GPU, or a TensorFlow that was built for this one.",
        sample="tensorflow.python.framework.errors_impl.InternalError: no kernel image is available"
        " for execution on the device",
    ),
    Pattern(
        kind="gpu broken",
        message=r"CUDA_ERROR_ECC_UNCORRECTABLE|uncorrectable ECC error|fallen off the bus"
        r"|CUDA_ERROR_HARDWARE_STACK_ERROR|CUDA_ERROR_NVLINK_UNCORRECTABLE",
        meaning="The GPU reports a fault of its hardware.",
        remedy="Leave this GPU out (gpus: of the node), and tell who looks after the node.",
        sample="E tensorflow/stream_executor/cuda/cuda_event.cc:29] Error polling for event status:"
        " failed to query event: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered",
        where="line",
    ),
    Pattern(
        kind="gpu fault",
        message=r"CUDA_ERROR_(?:ILLEGAL_ADDRESS|ILLEGAL_INSTRUCTION|LAUNCH_FAILED|MISALIGNED_ADDRESS"
        r"|LAUNCH_TIMEOUT|UNKNOWN)\b",
        meaning="A computation on the GPU went wrong: a bug of a kernel or the driver, bad "
        "indices, or a GPU that fails.",
        remedy="Try another GPU; if it fails there as well, look for indices out of range.",
        sample="E tensorflow/stream_executor/cuda/cuda_event.cc:49] Error polling for event status:"
        " failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS",
        where="line",
    ),
    Pattern(
        kind="libdevice",
        message=r"libdevice not found at \./libdevice\.10\.bc|Couldn't invoke ptxas",
        meaning="XLA does not find the parts of the CUDA toolkit that it compiles with.",
        remedy="Set XLA_FLAGS=--xla_gpu_cuda_data_dir=… in environment.variables, or install "
        "tensorflow[and-cuda].",
        sample="tensorflow.python.framework.errors_impl.InternalError: libdevice not found at "
        "./libdevice.10.bc [Op:__some_op]",
    ),
    Pattern(
        kind="nan",
        message=r"Tensor had (?:NaN|Inf)|[Ll]oss is (?:inf or )?[Nn]a[Nn]|NanLossDuringTraining"
        r"|\bloss became -?(?:nan|inf) at step \d+|held NaN or infinity",
        meaning="Training went out of bounds: mostly the learning rate is too high, or the data "
        "hold NaN or infinity.",
        remedy="Lower the learning rate, add warm-up or clipping, and look for NaN in the data.",
        sample="tensorflow.python.framework.errors_impl.InvalidArgumentError: LossTensor is inf or "
        "nan: Tensor had NaN values",
    ),
    Pattern(
        kind="damaged records",
        message=r"DataLossError: |DATA_LOSS: |corrupted record at \d+|[Tt]runcated record at \d+",
        meaning="A TFRecord or checkpoint file is damaged or cut, or is of another kind.",
        remedy="Write that file again, and see that its copying was not broken off.",
        sample="tensorflow.python.framework.errors_impl.DataLossError: corrupted record at 0 (Is "
        "this even a TFRecord file?) [Op:IteratorGetNext] name: ",
    ),
    Pattern(
        kind="not an image",
        message=r"Unknown image file format\. One of|Invalid JPEG data or crop window"
        r"|UnidentifiedImageError: cannot identify image file",
        meaning="A file of the data set is damaged, or no image.",
        remedy="clew data build names such files and leaves them out.",
        sample="tensorflow.python.framework.errors_impl.InvalidArgumentError: Unknown image file "
        "format. One of JPEG, PNG, GIF, BMP required. [Op:DecodeJpeg]",
    ),
)
