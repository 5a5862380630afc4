// Stores the fingerprints of a process's keys if one is shared with the stored ones, or if none are stored, and answers
// whether that is so. It also answers whether the current key, which comes first, is new to a store that knew others.
MERGE (n:Fingerprint {name: $name})
SET n.claimedAt = timestamp()
WITH n, coalesce(n.values, CASE WHEN n.value IS NULL THEN [] ELSE [n.value] END) AS known
WITH n, known, size(known) = 0 OR any(value IN known WHERE value IN $names) AS isShared
FOREACH (_ IN CASE WHEN isShared THEN [1] ELSE [] END | SET n.values = $names, n.value = head($names))
RETURN isShared AS isShared, isShared AND size(known) > 0 AND NOT head($names) IN known AS isRotated
