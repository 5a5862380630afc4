// Returns the fingerprint of the key that seals everything, if recorded.
MATCH (n:Fingerprint {name: 'sealed with'})
RETURN n.value AS value
