package rest

// exampleStream is a stream that began, and then saw one change.
const exampleStream = "event: ready\nid: 7hT2mXw4sQ9v\ndata: {\"resumed\":false}\n\n" +
	"event: change\nid: Kc0pZ8rYb1uE\ndata: {\"at\":\"2026-11-20T16:00:00Z\",\"kind\":\"memory\",\"id\":\"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e\"," +
	"\"change\":\"updated\",\"version\":2,\"origin\":\"claude\"}\n\n"
