// Returns nothing of the store. Its answer carries the bookmark of the newest change.
RETURN 1 AS one
