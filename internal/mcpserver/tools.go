package mcpserver

import (
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

// tools is the table of all tools. Every client puts the tools it is offered into its model's context, so a test
// limits what each toolset costs. To keep the memory toolset short, its schemas do not describe the items of a list.
var tools = []tool{
	{"search_memories", "Search memories", toolsetMemory, memory.Read, reads,
		`Find memories and events by words, best first. Use it before asking what they may have said. ` +
			`"Quotes" match a phrase, word* a prefix.`,
		has(), takes(searchFields, (*Server).searchMemories)},
	{"get_memories_by_tag", "Memories by tag", toolsetMemory, memory.Read, reads,
		"List memories with any of the tags, newest first. To find words, use search_memories.",
		has(), takes(tagFields, (*Server).getMemoriesByTag)},
	{"read_memories", "Newest memories", toolsetMemory, memory.Read, reads,
		"List the newest memories. To find a topic, use search_memories.",
		has(), takes(readFields, (*Server).readMemories)},
	{"browse_memories", "Browse memories", toolsetMemory, memory.Read, reads,
		"List ids, titles and tags, newest first. To find a topic, use search_memories.",
		has(), takes(browseFields, (*Server).browseMemories)},
	{"get_memory_by_id", "Get a memory", toolsetMemory, memory.Read, reads,
		"Return a memory, from character offset on, by an id from another tool.",
		has(), takes(idFields, (*Server).getMemoryByID)},
	{"get_latest_memory", "Latest memory", toolsetMemory, memory.Read, reads,
		"Return the newest memory, or the newest with a tag, to resume work.",
		has(), takes(latestFields, (*Server).getLatestMemory)},
	{"write_memory", "Write a memory", toolsetMemory, memory.Create, adds,
		"Save a memory for all the person's assistants: decisions, preferences, corrections, lasting " +
			"facts; not secrets or chatter. The same key updates it. Returns id, version, result.",
		has("id"), takes(writeFields, (*Server).writeMemory)},
	{"update_memory", "Update a memory", toolsetMemory, memory.Change, sets,
		"Change a memory you wrote: only the fields you send; fewer allowed_vendors, never more. " +
			"For those of others, use write_memory with supersedes.",
		has("id"), takes(updateFields, (*Server).updateMemory)},
	{"trash_memory", "Trash a memory", toolsetMemory, memory.Trash, removes,
		"Trash a memory you wrote, when asked. If only the person may, tell is what to tell them. For " +
			"outdated facts, use update_memory.",
		has("id"), takes(trashMemoryFields, (*Server).trashMemory)},
	{"read_team_memories", "Team memories", toolsetMemory, memory.PoolRead, reads,
		"List the team's memories, newest first. If there is no team, do not retry.",
		has(), takes(teamFields, (*Server).readTeamMemories)},
	{"share_memory", "Share with the team", toolsetMemory, memory.Share, sets,
		"Share a memory you wrote with the team, only when asked.",
		has(), takes(shareFields, (*Server).shareMemory)},

	{"recall_memories", "Recall memories", toolsetMemoryExtra, memory.Read, reads,
		"Search memories and events with every filter. Use it to ask about the past or within a scope; otherwise " +
			"use search_memories. as_of: what was true then. known_at: what was stored then. detail: full adds scores " +
			"and sources.",
		listOf("memories", "id", "title"), takes(recallFields, (*Server).searchMemories)},
	{"list_suggestions", "List suggestions", toolsetMemoryExtra, memory.SuggestionRead, reads,
		"List suggestions, newest first: that one memory supersedes or corrects another one's, or that rows " +
			"leave a graph. The owner decides. Use it to see the outcome. To make a suggestion, use write_memory " +
			"with supersedes.",
		listOf("suggestions", "id", "kind", "state"), takes(suggestionFields, (*Server).listSuggestions)},
	{"add_sources", "Add sources", toolsetMemoryExtra, memory.SourceAdd, sets,
		"Link a memory that you wrote to where it comes from, and return its sources. ref is an id or an " +
			"address; quote is the words that support the memory. Not for memories of other assistants.",
		listOf("sources", "id", "kind"), takes(newSourcesFields, (*Server).addSources)},
	{"get_sources", "Get sources", toolsetMemoryExtra, memory.SourceRead, reads,
		"List the sources of a memory with their texts, oldest first. Use it to verify a memory.",
		listOf("sources", "id", "kind"), takes(sourcesFields, (*Server).getSources)},
	{"list_memory_nodes", "List memory nodes", toolsetMemoryExtra, node.Read, reads,
		"List memory nodes, last changed first. A node is an outline of memories, entities and texts. Use " +
			"it to find one that fits the task, then read_memory_node. For single facts, use search_memories.",
		listOf("memory_nodes", "id", "name"), takes(nodesFields, (*Server).listMemoryNodes)},
	{"read_memory_node", "Read a memory node", toolsetMemoryExtra, node.Read, reads,
		"Return a memory node as one text, in outline order. Use it at the start of a task that the node " +
			"covers. left counts the items that did not fit into budget characters.",
		has("id", "name", "text", "left"), takes(nodeFields, (*Server).readMemoryNode)},
	{"remember", "Remember one thing", toolsetReflect, memory.Create, adds,
		"Save one durable memory: a decision, a fact, a plan. For raw notes, use reflect. Returns its id and " +
			"result.",
		has("id", "result"), takes(rememberFields, (*Server).rememberOne)},
	{"reflect", "Reflect notes", toolsetReflect, review.Reflect, sets,
		"Find memory candidates in raw notes: decisions, plans, ideas, claims, artifacts, procedures. Use it " +
			"after work; for one known fact, use remember. Without persist it only reads. Returns candidates; those with " +
			"exceptions wait for the person. detail: full adds evidence.",
		leanSchema(), takes(reflectFields, (*Server).reflect)},

	{"context", "Context for a goal", toolsetReflect, pack.Read, sets,
		"Get what memory has for a goal, within max_tokens: pinned, decisions, facts, procedures, events, entities, " +
			"each cited by id. Use it before you begin a task. To ask one question, use search_memories. With session_id, " +
			"only what is new. Returns context and how many lines were left out.",
		has("context", "left"), takes(packFields, (*Server).contextPack)},

	{"list_candidates", "List candidates", toolsetReview, review.Read, reads,
		"List proposed memories, newest first, with how many each state has. Use it when the person wants to " +
			"review what reflect found. For memories, use search_memories.",
		listOf("candidates", "id", "kind", "title", "review_state"),
		takes(candidatesFields, (*Server).listCandidates)},
	{"show_candidate", "Show a candidate", toolsetReview, review.Read, reads,
		"Return a candidate with its evidence, the memories that it may replace, and past decisions. " +
			"Use it before you decide. To see many, use list_candidates.",
		has("id", "kind", "title", "review_state"), takes(candidateFields, (*Server).showCandidate)},
	{"decide_candidate", "Decide about a candidate", toolsetReview, review.Decide, removes,
		"Accept a candidate (it becomes a memory; one with exceptions only the person accepts), reject, archive or " +
			"defer it, or undo your last decision (its memory goes to the trash). Use it only as the person decided, for " +
			"what you proposed. " +
			"To change its words, use edit_candidate. Returns the candidate.",
		has("id", "review_state"), takes(verdictFields, (*Server).decideCandidate)},
	{"edit_candidate", "Edit a candidate", toolsetReview, review.Decide, sets,
		"Change the fields you send of a candidate that waits, and return it. Use it to correct a candidate " +
			"before it is accepted. For a memory, use update_memory.",
		has("id", "review_state"), takes(revisionFields, (*Server).editCandidate)},
	{"merge_candidates", "Merge candidates", toolsetReview, review.Decide, adds,
		"Add the texts of others to a candidate, archive them, and return it. Use it if they say parts of one " +
			"thing. To drop one that says the same, use decide_candidate.",
		has("id", "review_state"), takes(mergerFields, (*Server).mergeCandidates)},

	{"create_session", "Create a session", toolsetSession, agent.SessionCreate, adds,
		"Create a session and return it. Pass its id as session_id to other tools: what they write then " +
			"belongs to the session, and they reach the memories that only its agent reads. Loci registers an " +
			"unknown agent. Not needed for other memories.",
		has("id", "state"), takes(newSessionFields, (*Server).createSession)},
	{"close_session", "Close a session", toolsetSession, agent.SessionClose, sets,
		"Close a session when its work is done, and return it. Later calls can read in it, but not write.",
		has("id", "state"), takes(closeSessionFields, (*Server).closeSession)},
	{"log_event", "Log an event", toolsetSession, event.Log, sets,
		"Log what just happened: an action, a result, an error, an open question, the state of the work. " +
			"Others who see the session read it. For choices, use log_decision; for what stays true, save a memory. " +
			"Returns id and result: logged or duplicate.",
		has("id", "result"), takes(eventFields, (*Server).logEvent)},
	{"log_decision", "Log a decision", toolsetSession, event.Log, sets,
		"Log a decision with its reason, when you make one or the person does. Not for plans or results: use " +
			"log_event. Returns id and result: logged or duplicate.",
		has("id", "result"), takes(decisionFields, (*Server).logDecision)},
	{"get_session_context", "What happened", toolsetSession, event.Read, reads,
		"Return one text about a session, an agent or, with neither, the org: decisions with reasons, errors, " +
			"open questions, who did what. Use it to continue work or to catch up. To find single events, use " +
			"search_events. left counts the events that did not fit.",
		has("context", "events", "left"), takes(contextFields, (*Server).getSessionContext)},
	{"search_events", "Search events", toolsetSession, event.Read, reads,
		"List events that match all filters, newest first, with their full texts. Use it for details. For an " +
			"overview, use get_session_context; for lasting facts, search_memories.",
		listOf("events", "id", "time", "event_type", "content"), takes(searchEventFields, (*Server).searchEvents)},

	{"create_task", "Create a task", toolsetTasks, task.Create, adds,
		"Add a task to a project and return it. Use it for work that remains to be done, or when asked. Its " +
			"members see it. Call list_tasks first. For facts and decisions, save a memory.",
		has("id", "state"), takes(newTaskFields, (*Server).createTask)},
	{"list_tasks", "List tasks", toolsetTasks, task.Read, reads,
		"List the tasks of a project, or of all projects, newest first. Use it to find what to work on. For " +
			"what happened, use get_session_context.",
		listOf("tasks", "id", "title", "state"), takes(tasksFields, (*Server).listTasks)},
	{"update_task", "Update a task", toolsetTasks, task.Change, sets,
		"Change the fields you send and return the task. Set state to doing when you begin a task, to done when " +
			"it is finished. You can change title and notes only of tasks you created.",
		has("id", "state"), takes(taskEditFields, (*Server).updateTask)},

	{"list_projects", "List projects", toolsetGraph, project.Read, reads,
		"List projects by name. Use it to find the one to work on. For the active one, use " +
			"get_current_project.",
		listOf("projects", "id", "name", "status"), takes(projectsFields, (*Server).listProjects)},
	{"create_project", "Create a project", toolsetGraph, project.Create, adds,
		"Create a project with an empty graph, make it the active one, and return it. Use it for a new " +
			"body of work, after list_projects shows none that fits.",
		has("id", "name"), takes(newProjectFields, (*Server).createProject)},
	{"switch_project", "Switch project", toolsetGraph, project.Read, sets,
		"Make a project the active one and return it. Use it before graph tools. If your client cannot " +
			"keep it active, pass project to each tool instead.",
		has("id", "name"), takes(projectFields, (*Server).switchProject)},
	{"get_current_project", "Get the current project", toolsetGraph, project.Read, reads,
		"Return the active project, or a message if there is none. Use it when unsure where graph tools " +
			"will write. For all projects, use list_projects.",
		has(), takes(nothing, (*Server).getCurrentProject)},
	{"archive_project", "Archive a project", toolsetGraph, project.Archive, sets,
		"Close a project, keep its data, and return it. Use it only when asked. restore_project reopens " +
			"it.",
		has("id", "name"), takes(projectFields, (*Server).archiveProject)},
	{"delete_project", "Delete a project", toolsetGraph, project.Delete, removes,
		"Delete a project and all its data permanently. Returns its id and name. Use it only if the " +
			"person asked for it and confirmed it; otherwise use archive_project.",
		has("id", "name"), takes(projectFields, (*Server).deleteProject)},
	{"restore_project", "Restore a project", toolsetGraph, project.Restore, sets,
		"Reopen an archived project and return it. Use it to continue that work. It does not become the " +
			"active project: use switch_project.",
		has("id", "name"), takes(projectFields, (*Server).restoreProject)},
	{"create_entities", "Create entities", toolsetGraph, graph.Write, sets,
		"Add things of the project (people, systems, decisions) with facts about them, all or none. " +
			"If the name and type exist, only new facts are added. Call search_nodes first. For facts about an " +
			"existing entity, use add_observations.",
		listOf("entities", "name", "created", "added"), takes(newEntitiesFields, (*Server).createEntities)},
	{"add_observations", "Add observations", toolsetGraph, graph.Write, sets,
		"Add facts to existing entities, all or none. Returns what was added and what was there. For a new " +
			"entity, use create_entities. Send entity_type if several entities share the name.",
		listOf("results", "entity_name", "added"), takes(observationsFields, (*Server).addObservations)},
	{"create_relations", "Create relations", toolsetGraph, graph.Write, sets,
		"Connect existing entities, all or none, and return the relations. For facts about one entity, " +
			"use add_observations.",
		listOf("relations", "from", "to", "relation_type", "created"),
		takes(relationsFields, (*Server).createRelations)},
	{"search_nodes", "Search the graph", toolsetGraph, graph.Read, reads,
		`Find entities by name, type or observation, best match first. Returns their observations and ` +
			`relations. Accepts words, or AND, OR, NOT, prefix*, "phrases" within one name or observation. ` +
			`Use it before creating anything. For exact names, use open_nodes.`,
		listOf("entities", entityMembers...), takes(graphSearchFields, (*Server).searchEntities)},
	{"open_nodes", "Open entities", toolsetGraph, graph.Read, reads,
		"Return the entities with exactly these names or ids, with their observations and relations. offset skips " +
			"the newest observations. For a missing name, it returns the nearest ones. To search, use search_nodes.",
		listOf("entities", entityMembers...), takes(namesFields, (*Server).openEntities)},
	{"read_graph", "Read the graph", toolsetGraph, graph.Read, reads,
		"Return the whole graph in pages, oldest first. left counts the entities on later pages. Use " +
			"search_nodes unless you need everything.",
		has("entities", "relations", "left"), takes(graphFields, (*Server).readGraph)},
	{"delete_entities", "Delete entities", toolsetGraph, graph.Delete, removes,
		"Delete entities by name, with their observations and relations, and return how many. It ignores " +
			"names that do not exist. What others wrote is only suggested. For one wrong fact, use " +
			"delete_observations.",
		has("deleted"), takes(deletedNamesFields, (*Server).deleteEntities)},
	{"delete_observations", "Delete observations", toolsetGraph, graph.Delete, removes,
		"Delete facts with exactly this text and return how many. Use it for what is wrong or outdated, " +
			"then add the current fact. For the whole entity, use delete_entities.",
		has("deleted"), takes(deletionsFields, (*Server).deleteObservations)},
	{"delete_relations", "Delete relations", toolsetGraph, graph.Delete, removes,
		"Delete exactly these relations and return how many. The entities stay; to delete them, use " +
			"delete_entities.",
		has("deleted"), takes(deletedRelationsFields, (*Server).deleteRelations)},

	{"search", "Search memories", toolsetSearch, memory.Read, reads,
		"Find the person's memories by the words of a question, best first, up to 10. Use it before you ask them " +
			"what they may have said before. For the text of one, use fetch.",
		listOf("results", "id", "title", "url"), takes(plainSearchFields, (*Server).plainSearch)},
	{"fetch", "Fetch a memory", toolsetSearch, memory.Read, reads,
		"Return the text of a memory by an id from search. If the text goes on, metadata.more has the id of the " +
			"next part. To find memories, use search.",
		has("id", "title", "text", "url"), takes(fetchFields, (*Server).fetch)},

	{"restore_nodes", "Restore deleted entities", toolsetGraphExtra, graph.Restore, sets,
		"Restore deleted entities, observations or relations, all or none, and return how many. Use it to " +
			"undo a mistake, with ids from list_deleted_nodes. An entity returns with what was deleted along " +
			"with it.",
		has("restored"), takes(restoreFields, (*Server).restoreEntities)},
	{"list_deleted_nodes", "List deleted entities", toolsetGraphExtra, graph.ReadTrash, reads,
		"List what restore_nodes can restore, newest deletion first, up to limit of each kind. For what " +
			"is in the graph, use read_graph.",
		has("entities", "observations", "relations"), takes(trashFields, (*Server).listDeletedEntities)},
	{"get_entity_history", "Get entity history", toolsetGraphExtra, graph.History, reads,
		"List the changes to an entity, its observations and relations, and who made them, oldest first. " +
			"Use it to explain how something came about. For a deleted entity, send its id.",
		listOf("changes", "at", "change", "kind"), takes(historyFields, (*Server).getEntityHistory)},
	{"get_neighbors", "Get neighbors", toolsetGraphExtra, graph.Read, reads,
		"Return an entity and those that up to hops relations connect it with, nearest first. Use it to " +
			"see what something affects. To find words, use search_nodes.",
		listOf("entities", entityMembers...), takes(neighborsFields, (*Server).getNeighbors)},
	{"merge_entities", "Merge two entities", toolsetGraphExtra, graph.Merge, removes,
		"Move the observations and relations of one entity to another that means the same, delete the " +
			"first and return the second. Use it only if you are sure.",
		has("name"), takes(mergeFields, (*Server).mergeEntities)},
}
