// Keeps the key by which everything is sealed now.
MERGE (n:Fingerprint {name: 'sealed with'})
SET n.value = $value
RETURN n.value AS value
