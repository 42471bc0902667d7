"""The inverse problem: some motions are prescribed, the required forces follow."""
