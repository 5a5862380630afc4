// Counts: records of one kind below an ancestor whose name has 3 part(s).
MATCH (n:${LABEL})
WHERE n.scope3 = $scope AND n.deleted = $deleted
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
RETURN count(n) AS total
