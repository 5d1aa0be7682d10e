"""What programs do with files, according to strace."""

import re

CALLS = "trace=%file,%process,connect,flock"
# A path, with the folder that it is relative to, as strace -y prints them.
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"([^"]*)"')
CHANGES = {"unlink": "w", "unlinkat": "w", "mkdir": "w", "mkdirat": "w", "chmod": "w", "fchmodat": "w", "rename": "rw",
           "renameat": "rw", "renameat2": "rw"}


def accesses(file, programs):
    """Returns the set of (path, permissions) for each of the programs, without calls that failed.

    The permissions are those of AppArmor. A process belongs to the program that it or its parent executed last.
    """
    found = {program: set() for program in programs}
    images = {}
    for process, call, arguments, result in calls(file):
        image = images.get(process)
        if call in ("clone", "clone3", "fork", "vfork"):
            images[result.split()[0]] = image
        elif call == "execve":
            images[process] = PATH.match(arguments)[2]
            if image in found:
                found[image].add((images[process], "x"))
        elif image in found:
            found[image] |= set(files(call, arguments, result))
    return found


def calls(file):
    """Yields the process, the name, the arguments and the result of each call that succeeded."""
    begun = {}
    for line in file:
        process, _, text = line.rstrip("\n").partition(" ")
        text = text.lstrip()
        if text.endswith(" <unfinished ...>"):
            begun[process] = text.removesuffix(" <unfinished ...>")
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", text)
        if resumed:
            text = begun.pop(process, "") + resumed[1]
        call = re.match(r"(\w+)\((.*)\)\s+= (\d.*)", text)
        if call:
            yield process, *call.groups()


def files(call, arguments, result):
    """Yields the paths of a call with their permissions."""
    if call in ("open", "openat") and "O_PATH" not in arguments:
        path = re.search(r"<([^>]*)>", result)[1].removesuffix("(deleted)")
        if not path.startswith("/"):
            return
        permissions = "rw" if "O_RDWR" in arguments else "w" if "O_WRONLY" in arguments else "r"
        is_folder = "O_DIRECTORY" in arguments
        yield path.rstrip("/") + "/" if is_folder else path, permissions + "w" * ("O_CREAT" in arguments)
    elif call in CHANGES:
        for folder, name in PATH.findall(arguments):
            path = name if name.startswith("/") else f"{folder}/{name}"
            yield path, CHANGES[call]
    elif call == "connect":
        path = re.search(r'sun_path="([^"]*)"', arguments)
        if path:
            yield path[1], "w"
    elif call == "flock":
        yield re.search(r"<([^>]*)>", arguments)[1], "k"
