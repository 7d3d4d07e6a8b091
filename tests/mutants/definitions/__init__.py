"""All mutants, part by part."""

from tests.mutants.definitions import checks, formats, gold, loader, runs, silver, types

PARTS = (formats, types, silver, gold, runs, checks, loader)
MUTANTS = tuple(mutant for part in PARTS for mutant in part.MUTANTS)
