// The number of saved queries.
MATCH (one:SavedQuery)
RETURN count(one) AS total
