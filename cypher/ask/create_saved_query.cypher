// Creates a query with a name, unless there is one of that name or there are as many as are allowed. The name is locked
// before they are counted.
MERGE (one:SavedQuery {name: $name})
ON CREATE SET one.isNew = true
WITH one, one.isNew AS isNew, COUNT { (:SavedQuery) } AS total
REMOVE one.isNew
WITH one, coalesce(isNew, false) AS isNew, total
FOREACH (fresh IN CASE WHEN isNew AND total <= toInteger($most) THEN [one] ELSE [] END | SET fresh += $values)
FOREACH (surplus IN CASE WHEN isNew AND total > toInteger($most) THEN [one] ELSE [] END | DELETE surplus)
RETURN isNew, total <= toInteger($most) AS fits
