// Nobody is told of what happened before there were notifications.
OPTIONAL MATCH (counter:Sequence {name: 'events'})
WITH coalesce(counter.last, 0) AS last
MERGE (progress:Progress {name: 'notifications'})
ON CREATE SET progress.step = 0, progress.seq = last, progress.begun = 0, progress.toldUntil = ''
