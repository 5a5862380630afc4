// Saved queries by their names, behind a name.
MATCH (one:SavedQuery)
WHERE one.name > $after
WITH one ORDER BY one.name LIMIT toInteger($limit)
RETURN one{.*} AS node
