"""Writes descriptor.py of jaxviz/capture/stages/hlo from hlo.proto; `--check` only compares.

Only the descriptor is kept, as protoc serializes it, and no code of protoc's making: that would
ask for a protobuf at least as new as the one that made it.
"""

from __future__ import annotations

import base64
import sys
import tempfile
import textwrap
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

FOLDER = Path(__file__).resolve().parent.parent / "jaxviz/capture/stages/hlo"
SOURCE = FOLDER / "hlo.proto"
TARGET = FOLDER / "descriptor.py"


def main() -> int:
    text = module(descriptor())
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("descriptor.py differs from hlo.proto: run `python scripts/proto.py`.")
    return 1


def descriptor() -> bytes:
    """The serialized `FileDescriptorProto` of hlo.proto."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "set")
        if protoc.main(["", f"-I{FOLDER}", f"--descriptor_set_out={made}", SOURCE.name]):
            sys.exit(f"protoc refuses {SOURCE.name}.")
        (file,) = FileDescriptorSet.FromString(made.read_bytes()).file
    return file.SerializeToString(deterministic=True)


def module(file: bytes) -> str:
    lines = textwrap.wrap(base64.b64encode(file).decode(), 92)
    head = '"""Written by scripts/proto.py from hlo.proto: edit there."""\n\nFILE = (\n'
    return head + "".join(f'    "{line}"\n' for line in lines) + ")\n"


if __name__ == "__main__":
    sys.exit(main())
