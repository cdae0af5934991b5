"""The pages of the guide go with the packages: ``dem guide`` reads them where there is no clone."""

import shutil
from pathlib import Path

import setuptools
from setuptools.command.build_py import build_py


class WithPages(build_py):
    """Copies the pages that somebody wrote, which in a clone are read where they are."""

    def run(self) -> None:
        """Copy packages, then pages, into a folder that holds nothing of an earlier build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:
            docs = Path(__file__).parent / "docs"
            for page in (*docs.glob("*.md"), *docs.glob("guide/*.md"), *docs.glob("reference/*.md")):
                target = Path(self.build_lib, "dem", "pages", page.relative_to(docs))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(page, target)


setuptools.setup(cmdclass={"build_py": WithPages})
