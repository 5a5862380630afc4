// Lists staged nodes that have been there for too long to become records.
MATCH (n:Staged)
WHERE n.at < timestamp() - $ageMs
RETURN n.stageId AS stageId
LIMIT toInteger($limit)
