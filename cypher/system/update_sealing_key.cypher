// Records the fingerprint of the key that now seals everything.
MERGE (n:Fingerprint {name: 'sealed with'})
SET n.value = $value
RETURN n.value AS value
