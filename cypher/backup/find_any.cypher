// Returns whether the store contains anything besides the restore marker.
MATCH (n)
WHERE NOT n:Restore
RETURN labels(n) AS labels
LIMIT 1
