package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// client calls as the SDK does: gRPC by connect-go on http.DefaultClient, so HTTP/2 over TLS and gRPC framing
// in HTTP/1.1 without TLS. It requests a token before the first call, and one new token when a call is
// UNAUTHENTICATED.
type client struct {
	url   string
	files *protoregistry.Files
	types *dynamicpb.Types
	token atomic.Pointer[string]
}

func newClient(address, descriptors string) (*client, error) {
	bytes, err := os.ReadFile(descriptors)
	if err != nil {
		return nil, err
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(bytes, set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	return &client{url: address, files: files, types: dynamicpb.NewTypes(files)}, nil
}

// methods returns all RPCs by names such as "OrganizationService/GetOrganization".
func (c *client) methods() map[string]protoreflect.MethodDescriptor {
	found := map[string]protoreflect.MethodDescriptor{}
	c.files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				found[fmt.Sprintf("%s/%s", service.Name(), method.Name())] = method
			}
		}
		return true
	})
	return found
}

// call sends a message that is given as JSON, and returns the response as decoded JSON.
func (c *client) call(method protoreflect.MethodDescriptor, message any) (any, error) {
	if c.token.Load() == nil {
		if err := c.authenticate(); err != nil {
			return nil, err
		}
	}
	answer, err := c.callOnce(method, message)
	if connect.CodeOf(err) != connect.CodeUnauthenticated || err == nil {
		return answer, err
	}
	if err := c.authenticate(); err != nil {
		return nil, err
	}
	return c.callOnce(method, message)
}

func (c *client) callOnce(method protoreflect.MethodDescriptor, message any) (any, error) {
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	request := dynamicpb.NewMessage(method.Input())
	if err := (protojson.UnmarshalOptions{Resolver: c.types}).Unmarshal(text, request); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	response, err := c.unary(method).CallUnary(ctx, c.request(request))
	if err != nil {
		return nil, err
	}
	return c.read(response.Msg)
}

func (c *client) request(message *dynamicpb.Message) *connect.Request[dynamicpb.Message] {
	request := connect.NewRequest(message)
	request.Header().Set("user-agent", "Scalekit-Go/2.6.0 Go/test (linux; amd64)")
	request.Header().Set("x-sdk-version", "Scalekit-Go/2.6.0")
	request.Header().Set("x-api-version", "20260312")
	request.Header().Set("authorization", "Bearer "+*c.token.Load())
	return request
}

func (c *client) unary(method protoreflect.MethodDescriptor) *connect.Client[dynamicpb.Message, dynamicpb.Message] {
	path := fmt.Sprintf("%s/%s/%s", c.url, method.Parent().FullName(), method.Name())
	return connect.NewClient[dynamicpb.Message, dynamicpb.Message](http.DefaultClient, path,
		connect.WithGRPC(),
		connect.WithSchema(method),
		connect.WithResponseInitializer(func(_ connect.Spec, message any) error {
			*message.(*dynamicpb.Message) = *dynamicpb.NewMessage(method.Output()) //nolint:govet // as connect asks for
			return nil
		}))
}

func (c *client) read(message proto.Message) (any, error) {
	text, err := protojson.MarshalOptions{Resolver: c.types}.Marshal(message)
	if err != nil {
		return nil, err
	}
	var answer any
	return answer, json.Unmarshal(text, &answer)
}

// tokens is the part of the token response that the SDK reads.
type tokens struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"`
}

func (c *client) authenticate() error {
	given, err := c.fetchToken(os.Getenv("UNDERSTUDY_CLIENT_SECRET"))
	if err != nil {
		return err
	}
	c.token.Store(&given.AccessToken)
	return nil
}

func (c *client) fetchToken(secret string) (*tokens, error) {
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {os.Getenv("UNDERSTUDY_CLIENT_ID")},
		"client_secret": {secret},
	}
	const formType = "application/x-www-form-urlencoded"
	response, err := http.DefaultClient.Post(c.url+"/oauth/token", formType, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("authentication failed: HTTP %d", response.StatusCode)
	}
	given := new(tokens)
	return given, json.NewDecoder(response.Body).Decode(given)
}
