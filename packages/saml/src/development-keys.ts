import { createPrivateKey, type KeyObject } from 'node:crypto';

/** A key that signs or decrypts, and the certificate that others know it by. */
export interface KeyPair {
  privateKey: KeyObject;
  /** PEM. */
  certificate: string;
}

/**
 * Everybody has these keys, so nobody may trust them elsewhere. They are the same in every environment, because a key for
 * RSA that comes from a seed would take seconds to find, and service and provider both must know each other's certificate
 * before the first sign-in. The certificates are good from 2000 to 2099, for clocks that are moved.
 */
export type DevelopmentKey = keyof typeof MATERIAL;

export function developmentKey(name: DevelopmentKey): KeyPair {
  const { key, certificate } = MATERIAL[name];
  const privateKey = createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' });
  return { privateKey, certificate: pemOf(certificate) };
}

/** A certificate as PEM, from PEM or from its base64 only. */
export function pemOf(certificate: string): string {
  const lines = bareCertificate(certificate).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The base64 of a certificate, as XML holds it. */
export const bareCertificate = (pem: string): string => pem.replace(/-----[^-]*-----|\s/g, '');

const PROVIDER_KEY = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCy2BKKqOPn1CD0GRyoJ4VtVEBhqMNz5VnsNYK91OeHbCZmbacH',
  'jF+PBRO7Y2ALTzqmBDvJpkK/STIRFr88fgW/yyqvpmf9WlJDYnmRJGcrnsWfe9jmpcKueXkSr8O1ylh/6MChL73Te7SQ3eUsYFQu',
  'hP6kF7wArglLthrOp48WzqJqWzo2p+chr4XrNaiHzxCWS3FJFJqzkBpC/8+bK+/J0gzfniab4pxmlvqFbDK1IMrkdoepLYcV30XH',
  '2w2E5MgwMmjF8aNiosjC3hhBngfth/s0+yiRr0Bid9EqrwL0QDE4u/wkLm2NURRPGWY/GsdlGE9MIK9jDhIp1Nb4n6ANAgMBAAEC',
  'ggEASglV/630DyRLchG1Qc1+mGhw8JzXMPLI25a5ZZGuOWslqHCLXX4YjxH4fbIhb/0gF9sXzx4zcpHAFr/2cfnvslrOdIGsef76',
  'oCezkMjjpvSm9iNkgvMrGWRzIS+/EtJN+cGmgPPNHzAOa4xYk5rbLpji+5ZRv2xMr9mW1mcaPsOg1zq4S6H9jdihx/BqrQumBg9I',
  'z9/wD6oqfUftkJWZtB+/zTEEDAUF562Drz3yRLiR9wFIAhYMimunIEkg3pAf0N8nozAMih2+on1LJlQjj/4DnU7Tgi0zSBdN7Xem',
  'jzRWH8b6XdSqaYpPO/OCWsyhKBZ+zttDSkM5x/YtrRUpxwKBgQDuhbpEIlIDfEB8A10CbDeKj0tIZrOB80DkWwm5xyDvGCpCgDUr',
  '9UhxjqrBCrAA/9DuBAYf02xBZaB5jU20cGvsmpBgPhWUhdw8URyBmtctkR2KDD/sbflDiOvroEIg0furYhnIY11yT+dWGBozqjlL',
  'Wy25ptB5ZUpASlOIS78ZIwKBgQC/8uGN5jqn0dF/Akdt/jScgGsmSuq/ccSMhyZkyGllgAEaDfOvKKMpE7kute9AaGM0X/eivpDW',
  'MJJFlFFkFcnY1X/737vw36adgJEFTgjL7qvO2+jmzSm/VaaoF3x3Z/KncEDeqFWrzVJ8WGInR3lHpNyFeCcOEV4oRCObmBYtDwKB',
  'gQCEsVqFSv6LN9V76DcXAPMJH1yHQ7M7aQNBxq+rbW8R9ESWSFLMSKFroy21ROfTNn2Z3B04GVtRKmNTG9wNtLkloHsPP5qrzKhP',
  '2ePc6jIpBGEFinkJY8jW3FY6+CWxsn+qwWGMjFLRJEiTKcdx1JIZLPlMHdQ+pK3hBDhiS5ldNwKBgFq2choZgAbnhdY8QX2d8Uc0',
  '+W5zYVVwcq7nACIJBKZPRDYH+e4BinpTM+T7XkJWEuwhnmpvHQvckIQJgB2Inoe2/nEOX0eKqrcsl1ymcEnQVanBC+RneR9PXx95',
  'Wf0kRu0Sg9W2QCadNipFqr1dbdeJ9h2tludzFch5y0oxKenJAoGAGlvDWEOT559vsQbIwErrcr60dPwApwnXKBgd4zBwHyNRoWpG',
  'qr/zq4ngUt47spRPvE6gZhAN5QcZeNGCqJQAtlsyueyWOdyGMJHp3Wt4+RZPQ4LjItHy9wuGjVxh8teVSUAd7SjCJmafJrGDJg3+',
  'r3SQVwhorhkazTvQsE2ZxOk=',
].join('');

const NEXT_PROVIDER_KEY = [
  'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCs6EmfookviFMAIq7doM/OZ4KGSbgFHY3y0ML6XH+HIXxApzjs',
  'OL7YSfgWs77guXfluXnz23JQA6gdydA/4UiNcubEhl8V6hjucXgoJsUT++iyMZZFT/UA5ueTqyKyVnavMS3t1byqVYQOQk8WVKmt',
  'J5Wb1aPvTIyD7whFrBBU3EGGuC2M8Cs+LYwcBApwUimUX0k4/o0VMeTkqrXw94Jcwd6UaaVVc0lQX1VMhC1LQsiM2qDd2JDDHLI0',
  'AUG6E62fJrE0cGV89O4B1mcyH25FrLV0GuKzbt+2g1zamlOcF+JcKdDQ/fegFLt7uKOfbSgWMhrGiN3g32XIq5PVBlyxAgMBAAEC',
  'ggEAPTDDhVwHAqxS+1RK4CIeCKS3G4ERP7Yy2wCoT+PWOeNOzq6fRXHbkD21L4uS/IKGfOUD1JoPvWNd5pTaPxEiFPTZ2CjZk67R',
  '/ehoJoV571WSByXnUUY3pYcR4z+IOubAf8V+xJGEgB9daZJr3LI/jgjZOFoF9xT3EWXRXp7C9NSber981B9MdxQCPEL01EoNWIGH',
  'L4CbL2nSFVc2NBfUpG06wHupcUt1oXRF6Yzm2ukJp3cZ7vvu9FDkjM0GCrceUF15FTHQ27BN4MR/BK7NvK6kHEd5+Zs2IA+WBcMi',
  '356KbIzJOpHHGiJUjf70Il6P/0f+5Z6PHMRN/gvM8v+J1QKBgQDx4KHjmF6MXfRoNYILO4iBTsZtQSXFowbKt8D/WMYmsxsGIq7h',
  '5RBVu1g7tylCkjoH3juOoi3Ym50/seVR7U60NXLVoZBfXNtaDIRmKs5QE2QAEwueQAmVVs/fsZL0UygEmADwt3xgycfDBs0KgFep',
  'uOzxbRVOtdVv8g5zudcZiwKBgQC3AMCEyovlg4Lp3FFaLVl76m/sZF90c9LwEHzAxJvMcbl8g3Oi91ulMUqGoL+LTY9oYpWmzRSb',
  'E/OZhO2wpPceZTDBtGuNZjXW7IThMYysYVKwYUB4nVOFyZFnOWsPCBt55/mdKZPC1bX823HnoTvx/4mBdR5APoFIHxF5nTGSMwKB',
  'gQCOnbaWrdbByPw9HZ+p49Ze+AXDkbAl0jRE/wfLB5r+YojCm1ymURvKkQY7X4nyeKnCzeQr+7AwkcCsN8ZRAi1v0Dv/fp3TvLqR',
  'Y+QFIaQ4TtadvJ0TGAsOhPtYmClf6lAkNUQIqwepQhCJC8+GK5qEtkbvKzRvDoPk18JxtdgAdQKBgDSBN7shrb+c2sukFYcs6bae',
  'zZviNGzh6kxMPq7D+ftPSauKv3urQpUDrmEv76TVDOcjGdKwlk/kCokqVVPQEMKcv79jt1PrVlkipQFDSRwQFDxcurWgVd1Vtq0K',
  'EUhPyCpSvxAzZJyK2lsAzw5o+Rz2dwo4gwRlqov5tfbRfe53AoGBAITUxuU3hUFb3vLsgkhSGOTEtv4Krn25vbecUWdqgJ3WAWts',
  'O/txHUVKtROVRf1frmTtfGbzhjtA2xuyeMgcA9gwZElUbx/zUkJk5L5ZXUbSmYfcbEjCWjPafqMJX/uiFztYy7Qz5jG53OeqndOZ',
  'B0YOZU/ZZ5RLqkMY/fS66BnY',
].join('');

const SERVICE_KEY = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDiiVf1Y853oSZ/GBF661wRBfbcArd1sZmb7yB1Az8LXQ856ScE',
  'xS3Sy3OiHHPky7RvKLipljyd9uUkPBT+AMdmxfDCOeZPollIOcjWRM7CbZgIMOt7xT1PU9XsFBkvNgL+/m5a9Igfjmp6RPO7SfAF',
  'LNMIJTT4c5wzlfjBWMJsWD2CYmt40Ciatndm+W8X/qX0VD0tFxccazD9CTajNPpBgULOjDyTO0ndHeVrata6nyPaQ5bjdGbns72E',
  'Cv0uH35qQ0odZgUooQxNZh0XnOWVGjMLido9jtOlFLmTqhLynJ9dRQnmMTGRk2IWZtYflc8Goy7ChkcalSE1OjItwP7JAgMBAAEC',
  'ggEADwjZdxZEJiliUi4JPvSu3AxeyVQ+08dRMAmrSEjKXtkywP+p0MW7WFGbX4du46DnXTdBJjQr2rn/lCuOoxrvIPGDHIjWMbPP',
  'JB19qEbRyBKY8/Y3MrQw8PpZ6LyevUTi5wSA03WGMT308B9yY5wxG07RxKkfflvB4qSR6VcYNDN5DYCi2wtAcxtpZXlylQvEPxDU',
  'GBgn4zxD1x++aiC3H27Z6i2vTBP3VMDkQtQzgnmLJUjdjYmgOWZYVO3O0S9ZtNK2QElpTzqriTFGpc9GSOqR5JkhTP9rYoVCPJmd',
  'wWeXbyqBZzX9SuglKzfAPYiOP2xspKvlH0WZlxT96oMtDwKBgQD0jqrulH6HAJb2xN+jx8uFC02raPjNzSvwhm75fEbPc1iDTqnw',
  'TeN8NxCk9J5tZo7EjhYjikLvKjwOdvZ+Q+/Y9DRJdFTKvuxFFJoDH6EGCi7YoXNzMLkcqNK7/9GoJzwnT9Vg+Veg/FqySa07fiFw',
  'OSpGNCO6xqQIE5k/xFxKPwKBgQDtItIomPmj0UfRzd7Q2KPSumf/kamw56YwV8klWhHZdKsJqHXTRi5Qcjb7FnOEVWKWwFT0EzsT',
  'U/YvG8lC+BEMAobF3Kz1gxq0GfALEp8UPPiqie2PvhIb/PSjCKgLgNBHKAOI7GotU3s/+pRhFLWRVTd0g2fjC1uMvvMVG5uk9wKB',
  'gEAmWFIi45m4HuF2PQ+yLgGlOGd5LqKVaiw6p0uMPOrX3+T5snwVglGoBBaxEAm0eEi42LfT4cDovD4zGG+AlJ69WCXYfRF9yW5J',
  'fCjLmCqEa0tp9mXF5xjMdBLahP1t5UqOl3NLlJ/m8keIKgfMCytr41ns/V5WEtsHgRCIColzAoGANhDAVZ07HYxzkXQcnwUlpL/3',
  'Qh+Vzs2h6Fe7dpaohynAbT1JT9gqaxD/VBP0VnGZPsGvHM7dozR7ZpYxNuGUEWbqD2aW0IsJpZJcVknylwynrUoxLZqqSlNL+3fX',
  'yHegBPkshSVRt+/Wo+mfttqf4vjI4fmrz+og/1/x0BgxTlUCgYEA2zIo4KPXaTm+1cbKvMNkaJ55JefWCPP1rBD08sMN9j7kO9Uj',
  'iwWkTBoC7Pe/edRZOPq64Ux422agsx2qnT8owhI/pep4zU+18Aqe+QwMjRBn4dZAm9J0Ajuh8Q44vJ9T1qgMcK5jKfAisVUt014M',
  'oso/XUg/Q41iZuqFl0T8o6o=',
].join('');

const PROVIDER_CERTIFICATE = [
  'MIIDCjCCAfKgAwIBAgIBATANBgkqhkiG9w0BAQsFADAnMSUwIwYDVQQDDBxVbmRlcnN0dWR5IGlkZW50aXR5IHByb3ZpZGVyMCAX',
  'DTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAnMSUwIwYDVQQDDBxVbmRlcnN0dWR5IGlkZW50aXR5IHByb3ZpZGVyMIIB',
  'IjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAstgSiqjj59Qg9BkcqCeFbVRAYajDc+VZ7DWCvdTnh2wmZm2nB4xfjwUTu2Ng',
  'C086pgQ7yaZCv0kyERa/PH4Fv8sqr6Zn/VpSQ2J5kSRnK57Fn3vY5qXCrnl5Eq/DtcpYf+jAoS+903u0kN3lLGBULoT+pBe8AK4J',
  'S7YazqePFs6ials6NqfnIa+F6zWoh88QlktxSRSas5AaQv/PmyvvydIM354mm+KcZpb6hWwytSDK5HaHqS2HFd9Fx9sNhOTIMDJo',
  'xfGjYqLIwt4YQZ4H7Yf7NPsoka9AYnfRKq8C9EAxOLv8JC5tjVEUTxlmPxrHZRhPTCCvYw4SKdTW+J+gDQIDAQABoz8wPTAMBgNV',
  'HRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIFoDAdBgNVHQ4EFgQUWF6Ww49723XdLnZG7r+lWfGPdtUwDQYJKoZIhvcNAQELBQADggEB',
  'AC1KlLDBkZBY9rKXfBNyKqrOXUsbzFa8aPOmwCZPjfCKIViGqpV8kDHpLtgjUPfqfeqGKGTYsE6X7XgW0dsSm0mtmIrUoXympm5e',
  'VmgpKwaHOpix5LZ9UAXJD12xR8KTMZThd3fx3u0JG5dVlDlrSUF4CJchvHAxDo+5tXqDCa3t9XQcCUXTDIyGlDMTOIZlhHxmq0FN',
  'P8cz2SAn9AsFjxC5xk7+xRrsfloeZf25ePCQke9IW7oH0JZyL6CvEl3HQq/t9xkAF7yEtHOsMuIRKkWizwmC8obacVvmjfMdrdgD',
  '+B5bMbDgteAtyD8cg/D7fDvBw6GgW/QpAmRaj5twRqI=',
].join('');

const EXPIRED_CERTIFICATE = [
  'MIIDGjCCAgKgAwIBAgIBAzANBgkqhkiG9w0BAQsFADAwMS4wLAYDVQQDDCVVbmRlcnN0dWR5IGlkZW50aXR5IHByb3ZpZGVyLCBl',
  'eHBpcmVkMB4XDTAwMDEwMTAwMDAwMFoXDTAxMDEwMTAwMDAwMFowMDEuMCwGA1UEAwwlVW5kZXJzdHVkeSBpZGVudGl0eSBwcm92',
  'aWRlciwgZXhwaXJlZDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALLYEoqo4+fUIPQZHKgnhW1UQGGow3PlWew1gr3U',
  '54dsJmZtpweMX48FE7tjYAtPOqYEO8mmQr9JMhEWvzx+Bb/LKq+mZ/1aUkNieZEkZyuexZ972Oalwq55eRKvw7XKWH/owKEvvdN7',
  'tJDd5SxgVC6E/qQXvACuCUu2Gs6njxbOompbOjan5yGvhes1qIfPEJZLcUkUmrOQGkL/z5sr78nSDN+eJpvinGaW+oVsMrUgyuR2',
  'h6kthxXfRcfbDYTkyDAyaMXxo2KiyMLeGEGeB+2H+zT7KJGvQGJ30SqvAvRAMTi7/CQubY1RFE8ZZj8ax2UYT0wgr2MOEinU1vif',
  'oA0CAwEAAaM/MD0wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCBaAwHQYDVR0OBBYEFFhelsOPe9t13S52Ru6/pVnxj3bVMA0G',
  'CSqGSIb3DQEBCwUAA4IBAQBQTLmvtLgf04l64u3KgPd11Chvde+QhvwFTjdvJemGFK6PQTdRF9YbSRc/0yPbSBnMukvG9YOseC58',
  'zGkvc2loYGAru2kVdE6Sas8ueLjxvTcQTJF4+aXZ9W9YL49Sq2y1HB+WL28j3lJ9ERxHwXZHfbzsCfSOLeyI17T5D5/rU2LaoLYY',
  'rjyDMkWOckqpXsv8k4QrU9bh3oOuRfqzuIJk8UySNxkVpRAYd4hVgB+R96Xe5c4g7d+CaZ4Mh0tabtArp9WaG4+xv0asLJqgmNWh',
  'x9eWb5+coV36oeNAr7x6wq6V+1R2o/j8+5C7M6P0t104/2r/m7JACXoVyMvFiJTl',
].join('');

const NEXT_PROVIDER_CERTIFICATE = [
  'MIIDFjCCAf6gAwIBAgIBAjANBgkqhkiG9w0BAQsFADAtMSswKQYDVQQDDCJVbmRlcnN0dWR5IGlkZW50aXR5IHByb3ZpZGVyLCBu',
  'ZXh0MCAXDTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAtMSswKQYDVQQDDCJVbmRlcnN0dWR5IGlkZW50aXR5IHByb3Zp',
  'ZGVyLCBuZXh0MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArOhJn6KJL4hTACKu3aDPzmeChkm4BR2N8tDC+lx/hyF8',
  'QKc47Di+2En4FrO+4Ll35bl589tyUAOoHcnQP+FIjXLmxIZfFeoY7nF4KCbFE/vosjGWRU/1AObnk6sislZ2rzEt7dW8qlWEDkJP',
  'FlSprSeVm9Wj70yMg+8IRawQVNxBhrgtjPArPi2MHAQKcFIplF9JOP6NFTHk5Kq18PeCXMHelGmlVXNJUF9VTIQtS0LIjNqg3diQ',
  'wxyyNAFBuhOtnyaxNHBlfPTuAdZnMh9uRay1dBris27ftoNc2ppTnBfiXCnQ0P33oBS7e7ijn20oFjIaxojd4N9lyKuT1QZcsQID',
  'AQABoz8wPTAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIFoDAdBgNVHQ4EFgQUR2T/scr9sUfYc9yyPC8y1n3O5+swDQYJKoZI',
  'hvcNAQELBQADggEBAIpnSrzwtjz+eGNYAXdrGnhiikIjgxl39uy3NI0Cj23QuppJ5bHT0ycdMsTGAB2zNLeI811pgqNXzrIEgCAG',
  'yDrEcLFGJyUIeBgLgWEbgVv5mEjPw8EJ00IlmgxKw1Yf3TutqrIL9CfkIhibqb5+1LgrRswj+SshMzeqPfDxzlSnwc/NgAHSb7Hu',
  'Z48yL7GG9LqdD5j7OnAEdtTptC1RJVDHQBf6oe1TTyn0pLPZ/42n30vtuQDoCaTGVyt/Lpe58vR6GFEoR0Hd/kCoWQfJz2yirAhH',
  'HoeI0LEouZK1iW1WMoVOPICFi28M4OVt0x9h4IzSRJ1BjCWrVHlUjhvQ+BY=',
].join('');

const SERVICE_CERTIFICATE = [
  'MIIDCDCCAfCgAwIBAgIBBDANBgkqhkiG9w0BAQsFADAmMSQwIgYDVQQDDBtVbmRlcnN0dWR5IHNlcnZpY2UgcHJvdmlkZXIwIBcN',
  'MDAwMTAxMDAwMDAwWhgPMjA5OTEyMzEyMzU5NTlaMCYxJDAiBgNVBAMMG1VuZGVyc3R1ZHkgc2VydmljZSBwcm92aWRlcjCCASIw',
  'DQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAOKJV/VjznehJn8YEXrrXBEF9twCt3WxmZvvIHUDPwtdDznpJwTFLdLLc6Icc+TL',
  'tG8ouKmWPJ325SQ8FP4Ax2bF8MI55k+iWUg5yNZEzsJtmAgw63vFPU9T1ewUGS82Av7+blr0iB+OanpE87tJ8AUs0wglNPhznDOV',
  '+MFYwmxYPYJia3jQKJq2d2b5bxf+pfRUPS0XFxxrMP0JNqM0+kGBQs6MPJM7Sd0d5Wtq1rqfI9pDluN0ZuezvYQK/S4ffmpDSh1m',
  'BSihDE1mHRec5ZUaMwuJ2j2O06UUuZOqEvKcn11FCeYxMZGTYhZm1h+VzwajLsKGRxqVITU6Mi3A/skCAwEAAaM/MD0wDAYDVR0T',
  'AQH/BAIwADAOBgNVHQ8BAf8EBAMCBaAwHQYDVR0OBBYEFKWrC63hFm6JArrLD9R79xUNZAglMA0GCSqGSIb3DQEBCwUAA4IBAQDB',
  'cgvKjxsbW6LyXg7MWJuDw1dU778gGAWfb+993fCT83PQZuug6LPdUXjlpXcodHet/hS8DmeKYxvDE449T+7Flm19Q8s0Lgri2O3N',
  'JWx6EmzzzOEgK8RuAEy58LnJIJctD19x4vUQy2fOt2+rQMKHQ3JmnOiSuwPcaoVEKF3OS+zyrWlRYAFh7bA+VaQY9NOmSZV5HSUn',
  '8Y1/uuxHj98fezNkrF632ou/SDE9/4JjaPCnJcEk0AaEMOMNEgHWXNVz3d684iscZKYdJQCm4a8+1STrwkfGtGPrV8FxVGJEPJ4J',
  'wrGW+kKOXDEs0Fcanuvn84ATF1xsmP2OeAw+kJCw',
].join('');

const MATERIAL = {
  /** The simulated identity provider. */
  provider: { key: PROVIDER_KEY, certificate: PROVIDER_CERTIFICATE },
  /** The key that the provider changes to. */
  next_provider: { key: NEXT_PROVIDER_KEY, certificate: NEXT_PROVIDER_CERTIFICATE },
  /** The provider's key with a certificate that was good in the year 2000 only. */
  expired_provider: { key: PROVIDER_KEY, certificate: EXPIRED_CERTIFICATE },
  /** The service: signs requests and decrypts assertions. */
  service: { key: SERVICE_KEY, certificate: SERVICE_CERTIFICATE },
};
