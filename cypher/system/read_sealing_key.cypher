// Answers the key by which everything is sealed, as far as that is known.
MATCH (n:Fingerprint {name: 'sealed with'})
RETURN n.value AS value
