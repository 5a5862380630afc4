// Answers how far people have been told: of all events up to a number, and of one after it up to some person.
MATCH (progress:Progress {name: $name})
RETURN progress.step AS step, progress.seq AS seq, progress.begun AS begun, progress.toldUntil AS toldUntil
