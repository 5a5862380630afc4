// Answers the fingerprints of the keys that processes on this store share, the current one first.
MATCH (n:Fingerprint {name: $name})
RETURN n.values AS values
