"""The machines of a database."""


class Members:
    """The machines of a database. `primary` is the one that makes changes, as far as the run knows."""

    def __init__(self, members):
        self.members = members
        self.primary = members[0]

    @property
    def standbys(self):
        return [member for member in self.members if member is not self.primary]
