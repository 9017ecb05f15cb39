from scalekit.common.exceptions import ScalekitBadRequestException
from scalekit.v1.domains.domains_pb2 import DomainType

from support import ACME, Area

OWN = "dom_10000000000000271"


class Domains(Area):
    def setUp(self):
        self.domains = self.scalekit.domain

    def test_life(self):
        made = self.domains.create_domain(ACME, "globex.example", "ALLOWED_EMAIL_DOMAIN")[0].domain
        self.assertEqual((made.domain, made.domain_type), ("globex.example", DomainType.ALLOWED_EMAIL_DOMAIN))
        self.assertEqual(self.domains.get_domain(ACME, made.id)[0].domain, made)
        self.domains.delete_domain(ACME, made.id)
        self.not_found(self.domains.get_domain, ACME, made.id)

    def test_type(self):
        made = self.domains.create_domain(ACME, "globex-corp.example")[0].domain
        self.assertEqual(made.domain_type, DomainType.ORGANIZATION_DOMAIN)

    def test_list(self):
        found = self.domains.list_domains(ACME, "ORGANIZATION_DOMAIN")[0].domains
        self.assertIn(OWN, [each.id for each in found])
        self.assertEqual({each.domain_type for each in found}, {DomainType.ORGANIZATION_DOMAIN})
        self.assertGreater(len(self.domains.list_domains(ACME)[0].domains), len(found))

    def test_not_found(self):
        self.not_found(self.domains.get_domain, ACME, "dom_99999999999999999")

    def test_validation(self):
        self.refuses("domain.domain", self.domains.create_domain, ACME, "")

    def test_conflict(self):
        self.fails(ScalekitBadRequestException, self.domains.create_domain, ACME, "acme.example")

    def test_throttling(self):
        self.throttles("DomainService_GetDomain", self.domains.get_domain, ACME, OWN)
