"""The place where attacks are tried: a workspace, and beside it all that they could do harm to: files that they may not
make or change, a listener, a process that they may not end, a program that they may not start, secrets that may not
come into an answer. Looks afterwards what became of all that.
"""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import psutil

from attacks.case import KERNEL, Case

SECRET_NAME = "TRITON_LS_ATTACK_SECRET"
_CONTENT = b"still here"
_SLEEP = 4711
_PR_SET_CHILD_SUBREAPER = 36
_IN_OPEN = 0x20
_IN_CREATE = 0x100
_SHARED_MEMORY = "/dev/shm"
_NO_STREAMS: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def _one_port() -> tuple[socket.socket, socket.socket]:
    """A listener and a receiver of datagrams on one port: who is free for the first may be taken for the second."""
    for _ in range(100):
        listener = socket.create_server(("127.0.0.1", 0))
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagrams.bind(listener.getsockname())
        except OSError:
            listener.close()
            datagrams.close()
        else:
            return listener, datagrams
    raise OSError("no port is free for both a listener and datagrams")


def _watch(path: Path, event: int) -> int:
    """A descriptor that can be read once that was done."""
    watch = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    ctypes.CDLL(None).inotify_add_watch(watch, os.fsencode(path), event)
    return watch


def _happened(watch: int) -> bool:
    try:
        return len(os.read(watch, struct.calcsize("iIII") + 256)) > 0
    except BlockingIOError:
        return False


class World:
    """``harm()`` says what was done, by whom as far as that can be told."""

    def __init__(self, base: Path, cases: Iterable[Case]) -> None:
        self.base = base
        self.cases = list(cases)
        self.work = base / "work"
        self.home = base / "home"
        self.temporary = base / "tmp"
        self._canaries = base / "canaries"
        self._victims = base / "victims"
        self._programs = base / "bin"
        self._shared = set(os.listdir(_SHARED_MEMORY))
        for folder in (self.work, self.home, self.temporary, self._canaries, self._victims, self._programs):
            folder.mkdir(parents=True)
        self.secrets = [secrets.token_hex(16) for _ in range(2)]
        self._secret_file = base / "secret.txt"
        self._secret_file.write_text(f"s{self.secrets[1]}")
        self._program = self._make_program()
        self._made = _watch(self.temporary, _IN_CREATE)
        self._connections: list[str] = []
        self._listener, self._datagrams = _one_port()
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()
        # What an attack leaves behind becomes our child when its parent ends.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._before = {child.pid for child in psutil.Process().children(recursive=True)}
        self._victim = subprocess.Popen(["sleep", str(_SLEEP)], start_new_session=True, **_NO_STREAMS)
        self.texts: dict[str, dict[Path, str]] = {}
        for case in self.cases:
            self.texts[case.name] = self._write(case)

    def _make_program(self) -> int:
        marker = self._programs / "attack-marker"
        marker.write_text(f'#!/bin/sh\ntouch {self._canaries}/"$1"\nexec sleep {_SLEEP}\n')
        marker.chmod(0o755)
        return _watch(marker, _IN_OPEN)

    def _write(self, case: Case) -> dict[Path, str]:
        folder = self.work if case.at_root else self.work / case.name
        victim = self._victims / case.name
        values = {
            "CANARY": str(self._canaries / case.name),
            "VICTIM_FILE": str(victim),
            "CASE": case.name,
            "SECRET_FILE": str(self._secret_file),
            "SECRET_NAME": SECRET_NAME,
            "VICTIM_PID": str(self._victim.pid),
            "PORT": str(self._listener.getsockname()[1]),
            "FOLDER": str(folder),
            "MARKER": str(self._programs / "attack-marker"),
        }
        texts = {self.file(case, name): text for name, text in case.filled(values).items()}
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists():
                raise ValueError(f"two cases at the root have a file {file.name}")
            file.write_text(text, encoding="utf-8")
        for match in set(re.findall(r"VICTIM_FILE(?:_\d+)?", "\n".join(case.files.values()))):
            file = self._victims / (case.name + match.removeprefix("VICTIM_FILE"))
            file.write_bytes(_CONTENT)
            file.chmod(0o640)
            os.utime(file, (1e9, 1e9))
        return texts

    def file(self, case: Case, name: str = KERNEL) -> Path:
        """Where a file of a case lies."""
        if case.at_root:
            return self.work / (f"{case.name}.py" if name == KERNEL else name)
        return self.work / case.name / name

    def environment(self) -> dict[str, str]:
        """For the process under test."""
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "PATH", "VIRTUAL_ENV")}
        return {
            **kept,
            "PATH": f"{self._programs}{os.pathsep}{kept.get('PATH', os.defpath)}",
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "TMPDIR": str(self.temporary),
            SECRET_NAME: f"s{self.secrets[0]}",
        }

    def harm(self, answers: Mapping[str, str], programs: bool = False) -> list[str]:
        """One sentence a deed, with the attack's name where it is known. ``answers``: what was said, by where.
        ``programs``: what was asked starts Triton's programs, which want temporary files for a while."""
        done = [f"{name} made its file" for name in sorted(os.listdir(self._canaries))]
        for case in self.cases:
            for match in sorted(set(re.findall(r"VICTIM_FILE((?:_\d+)?)", "\n".join(case.files.values())))):
                done.extend(self._victim_file(case.name + match))
        done.extend(f"{name} connected" for name in self._connections)
        if self._victim.poll() is not None:
            done.append("an attack ended a process of another")
        if _happened(self._program):
            done.append("an attack started the program")
        if _happened(self._made) and not programs:
            done.append(f"something was made in {self.temporary}, for a while at least")
        done.extend(f"{' '.join(command)} was left behind" for command in self._left_behind())
        for where, text in answers.items():
            done.extend(f"{where} tells secret {n}" for n, secret in enumerate(self.secrets, 1) if secret in text)
            if "FORGED" in text:
                done.append(f"{where} repeats a forged message")
        done.extend(f"{path.relative_to(self.base)} was made" for path in self._unexpected())
        done.extend(f"{name} was made in {_SHARED_MEMORY}" for name in self._made_in_shared_memory())
        return done

    def _made_in_shared_memory(self) -> list[str]:
        """By an attack: other programs use it, too."""
        names = {case.name for case in self.cases}
        made = set(os.listdir(_SHARED_MEMORY)) - self._shared
        return sorted(name for name in made if name.removeprefix("sem.") in names)

    def _victim_file(self, name: str) -> list[str]:
        file = self._victims / name
        try:
            state = file.stat()
            same = file.read_bytes() == _CONTENT and (state.st_mode & 0o7777, state.st_mtime) == (0o640, 1e9)
            same = same and state.st_nlink == 1 and not os.listxattr(file)
        except OSError:
            same = False
        return [] if same else [f"{name} changed a file"]

    def _left_behind(self) -> list[list[str]]:
        end = time.monotonic() + 2
        while time.monotonic() < end and self._children():
            time.sleep(0.05)
        return [child.cmdline()[:4] or [child.name()] for child in self._children()]

    def _children(self) -> list[psutil.Process]:
        children = psutil.Process().children(recursive=True)
        found = [c for c in children if c.pid not in self._before and c.pid != self._victim.pid]
        return [child for child in found if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]

    def _unexpected(self) -> list[Path]:
        """What is in the folders that the user's programs would write to, but for our own cache."""
        cache = self.home / ".cache" / "triton-ls"
        made = [p for folder in (self.home, self.temporary) for p in folder.rglob("*")]
        return sorted(p for p in made if p != cache and p != cache.parent and cache not in p.parents)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
                connection.settimeout(1)
                self._connections.append(connection.recv(200).decode(errors="replace"))
                connection.close()
            except OSError:
                return

    def _receive(self) -> None:
        while True:
            try:
                self._connections.append(self._datagrams.recv(200).decode(errors="replace"))
            except OSError:
                return

    def close(self) -> None:
        for child in self._children():
            child.kill()
        self._victim.kill()
        self._victim.wait()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._datagrams.close()
        os.close(self._program)
        os.close(self._made)
        for child in psutil.Process().children():
            if child.pid not in self._before and child.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(child.pid, 0)
        for name in self._made_in_shared_memory():
            os.remove(os.path.join(_SHARED_MEMORY, name))
        shutil.rmtree(self.base, ignore_errors=True)
