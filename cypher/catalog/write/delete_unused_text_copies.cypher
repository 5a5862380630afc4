// Removes copies of long texts that nothing has needed for a while and nothing needs now.
MATCH (copy:TextCopy)
WHERE copy.unusedAt < $before
  AND NOT EXISTS { (copy)<-[:HAS_COPY]-() }
  AND NOT EXISTS { (event:ChangeEvent) WHERE event.copyId = copy.id }
  AND NOT EXISTS { (other:TextCopy) WHERE other.baseId = copy.id }
WITH copy LIMIT toInteger($limit)
DELETE copy
RETURN count(*) AS removed
