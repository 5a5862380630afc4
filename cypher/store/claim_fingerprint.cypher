// Keeps a fingerprint if there is none yet, and answers the one that is kept.
MERGE (n:Fingerprint {name: $name})
ON CREATE SET n.value = $value
RETURN n.value AS value
