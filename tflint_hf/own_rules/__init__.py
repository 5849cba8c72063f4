"""Rules that do not come with the tool: of folders that a configuration names, and of installed packages."""
