module understudy.example/sdk-go

go 1.25.0

require (
	connectrpc.com/connect v1.16.2
	google.golang.org/protobuf v1.35.2
)

require github.com/go-jose/go-jose/v4 v4.1.4
