// Answers whether there is anything that a restore did not make itself.
MATCH (n)
WHERE NOT n:Restore
RETURN labels(n) AS labels
LIMIT 1
