"""`python -m ingestion report`: what came in, what became of it, and what tests have found."""
