"""Packs a built program: a wheel, an archive, checksums. Called by .ci/package.

    python3 .ci/wheel.py PROGRAM FOLDER

The wheel has no Python code. Layout (binary distribution format of packaging.python.org):

    runner-V.data/scripts/runner                  the program, which contains the device library
    runner-V.data/data/share/runner/examples/     example tests
    runner-V.data/data/share/man/man1/            manual pages
    runner-V.data/data/share/…                    completions of bash, zsh and fish
    runner-V.dist-info/                           metadata, licenses

Equal inputs give equal bytes: entries are sorted, and their time is SOURCE_DATE_EPOCH.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

TARGET = "x86_64-unknown-linux-gnu"
EXAMPLES = "tests/fp64/hand"
COMPLETIONS = {
    "bash": "share/bash-completion/completions/runner",
    "fish": "share/fish/vendor_completions.d/runner.fish",
    "zsh": "share/zsh/site-functions/_runner",
}
# Files with the terms of a crate.
TERMS = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|UNLICENSE)", re.IGNORECASE)


def output(*command):
    """Returns what a command prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def shipped_crates():
    """Returns the third-party crates whose code the program contains, by name."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    metadata = json.loads(output(*command, "--filter-platform", TARGET))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    roots = [id for id, package in packages.items() if package["name"] in ("runner", "preload")]
    seen, waiting = set(), [id for id in roots if packages[id]["source"] is None]
    while waiting:
        id = waiting.pop()
        if id in seen:
            continue
        seen.add(id)
        for dependency in nodes[id]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    foreign = [packages[id] for id in seen if packages[id]["source"] is not None]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def third_party_licenses():
    """Returns the licenses of all crates in one text; equal terms stand there once."""
    crates = shipped_crates()
    text = ["Third-party crates in this program:\n\n"]
    terms = {}
    for crate in crates:
        name = f"{crate['name']} {crate['version']}"
        text.append(f"{name}: {crate['license']}\n")
        folder = pathlib.Path(crate["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and TERMS.match(file.name):
                words = file.read_text(errors="replace").strip()
                terms.setdefault(words, []).append(name)
    for words, names in terms.items():
        text.append(f"\n{'=' * 80}\n{', '.join(sorted(set(names)))}\n\n{words}\n")
    return "".join(text).encode()


def oldest_glibc(program):
    """Returns the version of the C library that the program needs, as (major, minor)."""
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", program)
    return max((int(major), int(minor)) for major, minor in versions)


def shared_files(path):
    """Returns the files below `share`, by path: content and mode."""
    files = {}
    for shell, place in COMPLETIONS.items():
        files[place] = (output(path, "completions", shell), 0o644)
    with tempfile.TemporaryDirectory() as folder:
        output(path, "man", "--out", folder)
        for page in pathlib.Path(folder).iterdir():
            files[f"share/man/man1/{page.name}"] = (page.read_bytes(), 0o644)
    for test in pathlib.Path(EXAMPLES).rglob("*.shader_test"):
        place = test.relative_to(EXAMPLES)
        files[f"share/runner/examples/{place}"] = (test.read_bytes(), 0o644)
    return files


def wheel_entries(version, program, shared, licenses):
    """Returns name and files of the wheel."""
    major, minor = oldest_glibc(program)
    tag = f"py3-none-manylinux_{major}_{minor}_x86_64"
    data, info = f"runner-{version}.data", f"runner-{version}.dist-info"
    summary = "Conformance runner for shader tests, with compiler and simulators of GPUs"
    metadata = (
        f"Metadata-Version: 2.4\nName: runner\nVersion: {version}\nSummary: {summary}\n"
        "License-Expression: MIT\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY\n"
        "Requires-Python: >=3.7\n"
    )
    kind = f"Wheel-Version: 1.0\nGenerator: .ci/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {f"{data}/scripts/runner": (program, 0o755)}
    files |= {f"{data}/data/{place}": file for place, file in shared.items()}
    files |= {f"{info}/licenses/{name}": (text, 0o644) for name, text in licenses.items()}
    files[f"{info}/METADATA"] = (metadata.encode(), 0o644)
    files[f"{info}/WHEEL"] = (kind.encode(), 0o644)
    record = "".join(f"{name},{record_of(files[name][0])}\n" for name in sorted(files))
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    return f"runner-{version}-{tag}.whl", files


def record_of(content):
    """Returns hash and size as RECORD has them."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(content)}"


def zipped(files, epoch):
    """Returns a zip archive."""
    out = io.BytesIO()
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)
    return out.getvalue()


def tarred(files, epoch):
    """Returns a compressed tar archive."""
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, mtime=epoch) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, (content, mode) in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(content), mode, epoch
                archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def main(path, folder):
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    program = pathlib.Path(path).read_bytes()
    version = output(path, "--version").decode().split()[1]
    shared = shared_files(path)
    own = pathlib.Path("LICENSE").read_bytes()
    licenses = {"LICENSE": own, "THIRD-PARTY": third_party_licenses()}
    wheel, entries = wheel_entries(version, program, shared, licenses)
    top = f"runner-{version}-x86_64-linux"
    tree = {f"{top}/bin/runner": (program, 0o755)}
    tree |= {f"{top}/{place}": file for place, file in shared.items()}
    tree |= {f"{top}/{name}": (text, 0o644) for name, text in licenses.items()}
    packages = {wheel: zipped(entries, epoch), f"{top}.tar.gz": tarred(tree, epoch)}
    sums = []
    for name, content in packages.items():
        (pathlib.Path(folder) / name).write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        print(pathlib.Path(folder) / name)
    (pathlib.Path(folder) / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main(*sys.argv[1:])
