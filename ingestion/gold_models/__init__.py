"""Gold models as files: what is declared, and what silver proposes."""
