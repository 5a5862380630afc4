// Lists what a query cost between two moments, newest first.
MATCH (cost:QueryCost)
WHERE cost.key >= $from AND cost.key <= $to
WITH cost ORDER BY cost.key DESC
LIMIT toInteger($limit)
RETURN cost{.id, .timestamp, .cost, .count, .totalDuration, .updatedAt} AS cost
