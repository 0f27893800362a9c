"""The `fiagen` command: its verbs, and the one place where errors become messages and exit statuses.

In: the command line. Out: the process's exit status. Must never show a traceback for bad input.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

import click

from fiagen.cli.output import warn
from fiagen.diagnostics import DiagnosticError, fail

MISUSE = 2
VERBS = {
    "build": "fiagen.cli.build", "check": "fiagen.cli.check", "diff": "fiagen.cli.diff",
    "docs": "fiagen.cli.docs", "explain": "fiagen.cli.explain", "list": "fiagen.cli.listing",
    "oracle": "fiagen.cli.oracle", "profile": "fiagen.cli.profile", "run": "fiagen.cli.run",
    "schedule": "fiagen.cli.schedule", "sim": "fiagen.cli.sim",
    "verify": "fiagen.cli.verify",
}


class Verbs(click.Group):
    """Loads a verb's module only when it is called: `fiagen build` need not wait for what `fiagen run` imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return import_module(VERBS[cmd_name]).command if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f"There is no command {args[0]!r}. Commands: {', '.join(sorted(VERBS))}.", ctx)
        return super().resolve_command(ctx, args)


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="fiagen")
def cli() -> None:
    """Specs of Ascend attention operators in; AscendC kernels, proven on a CPU simulator, out."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns (and, as a script, exits with) the status."""
    try:
        status = cli.main(args=arguments, standalone_mode=False)
        return int(status or 0)
    except DiagnosticError as error:
        warn(str(error))
    except click.ClickException as error:
        error.show()
    except (KeyboardInterrupt, click.Abort):
        warn("interrupted; nothing half-written was left behind")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left; say no more
    except OSError as error:
        warn(str(_os_failure(error)))
    return MISUSE


def _os_failure(error: OSError) -> DiagnosticError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return fail(
        "system.disk_full" if full else "system.failed",
        given=f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""),
        allowed="room on the disk" if full else "files and folders that can be read and written",
        why="The system refused an operation.",
        fix="Free some space and try again." if full else "Check the path and its permissions.")


def script() -> None:
    """Entry point of the installed command."""
    sys.exit(main())
