"""Rules of one team. The modules beside this file have their functions, the YAML files their words."""
