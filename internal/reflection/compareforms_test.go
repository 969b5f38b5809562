package reflection

import "testing"

// TestRelateForms has pairs of statements of which each tests one way in which people say the same or the contrary.
func TestRelateForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, newer string
		want         Bond
	}{
		{"The bakery is closed on Mondays.", "On Mondays the bakery does not open.", Duplicate},
		{"Das Museum schließt montags.", "Montags öffnet das Museum nicht.", Duplicate},
		{"La panadería cierra los lunes.", "Los lunes la panadería no abre.", Duplicate},
		{"A padaria fecha às segundas.", "Às segundas a padaria não abre.", Duplicate},
		{"动物园周二闭馆。", "动物园星期二不开门。", Duplicate},
		{"Hunde sind im Saal nicht zugelassen.", "Hunde sind im Saal verboten.", Duplicate},
		{"No se admiten perros en la sala.", "Los perros están prohibidos en la sala.", Duplicate},
		{"The kiln cools for 30 minutes.", "The kiln cools for half an hour.", Duplicate},
		{"Der Ofen kühlt 45 Minuten.", "Der Ofen kühlt eine Dreiviertelstunde.", Duplicate},
		{"La machine refroidit 15 minutes.", "La machine refroidit un quart d'heure.", Duplicate},
		{"Yoga is on Thursdays at 18:30.", "Yoga: half past six, Thursday evenings.", Duplicate},
		{"郵便局は午後5時に閉まる。", "郵便局は17時に閉まる。", Duplicate},
		{"食堂晚上8点关门。", "食堂20点关门。", Duplicate},
		{"Heron was chosen over Stork for the parser.", "parser: Heron, not Stork", Duplicate},
		{"打ち合わせは毎週火曜10時。", "ミーティングは毎週火曜10時。", Duplicate},

		{"The dose is 3 mg per kilo.", "The dose is 3 µg per kilo.", Contradiction},
		{"Le dépôt est à Nantes.", "Le dépôt est à Vierzon.", Contradiction},
		{"The sauna is heated.", "The sauna is cold.", Contradiction},
		{"Der Hund verträgt Huhn.", "Huhn schadet dem Hund.", Contradiction},
		{"La visita es gratuita.", "La visita es de pago, no gratuita.", Contradiction},
		{"Parken ist dort kostenlos.", "Parken ist dort kostenpflichtig.", Contradiction},
		{"这款软件是免费的。", "这款软件是收费的。", Contradiction},
		{"O caminho é seguro.", "O caminho é perigoso.", Contradiction},

		{"Rent is 900 dollars a month.", "Rent went up to 950 dollars a month.", UpdateSupersedes},
		{"Karl chairs the tenant board.", "Karl stepped down; Agnes chairs the tenant board.", UpdateSupersedes},
		{"Frau Lind leitet das Archiv.", "Das Archiv leitet jetzt Herr Moser, Frau Lind ist in Rente.", UpdateSupersedes},
		{"El pago vence el día 5.", "El vencimiento del pago se movió al día 12.", UpdateSupersedes},
		{"会费是100元。", "会费涨到了120元。", UpdateSupersedes},

		{"Orders are refunded.", "If a delivery is cancelled, orders are refunded within five days.", Refinement},
		{"Wir liefern nach Tirol.", "Nach Tirol liefern wir ab 50 Euro frei Haus.", Refinement},
	} {
		if v := Relate(c.older, c.newer); v.Bond != c.want {
			t.Errorf("%q, %q: got %s (%s), want %s", c.older, c.newer, v.Bond, v.Reason, c.want)
		}
	}
}
