// Marks copies of long texts that nothing needs any more: their record is gone, and so are the events and copies that are differences from them. A copy that is needed after all loses its mark.
MATCH (copy:TextCopy)
WHERE copy.id > $after
WITH copy ORDER BY copy.id
LIMIT toInteger($limit)
WITH copy, NOT EXISTS { (copy)<-[:HAS_COPY]-() }
  AND NOT EXISTS { (event:ChangeEvent) WHERE event.copyId = copy.id }
  AND NOT EXISTS { (other:TextCopy) WHERE other.baseId = copy.id } AS isUnused
WITH collect(copy) AS copies, collect(CASE WHEN isUnused <> (copy.unusedAt IS NOT NULL) THEN {copy: copy, unusedAt: CASE WHEN isUnused THEN $now END} END) AS changed
FOREACH (one IN changed | SET (one.copy).unusedAt = one.unusedAt)
RETURN copies[-1].id AS last, size(copies) AS looked, size(changed) AS marked
