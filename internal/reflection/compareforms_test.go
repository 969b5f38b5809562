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

		{"Nadia approved the stage plan.", "The stage plan was signed off by Nadia.", Duplicate},
		{"Wir löschen nie Anrufe.", "Anrufe werden überhaupt nicht gelöscht.", Duplicate},
		{"La pompe est à 3 mètres.", "La pompe est à 300 cm.", Duplicate},
		{"La verja está a 2 km.", "La verja está a 2000 metros.", Duplicate},
		{"Herr Kranz betreut den Brunnen.", "Herr Kranz kümmert sich um den Brunnen.", Duplicate},
		{"Mme Aubry est responsable du four.", "Mme Aubry s'occupe du four.", Duplicate},
		{"Julia es responsable del horno.", "Julia se encarga del horno.", Duplicate},
		{"A Rosa é responsável pelo forno.", "A Rosa cuida do forno.", Duplicate},
		{"家賃は毎月末に引き落とされる。", "家賃は月末に口座から落ちる。", Duplicate},
		{"仓库在二楼。", "库房在二楼。", Duplicate},

		{"The library is closed.", "The library has reopened.", UpdateSupersedes},
		{"Le sentier est fermé.", "Le sentier a rouvert.", UpdateSupersedes},
		{"El camino está cerrado.", "El camino ha reabierto.", UpdateSupersedes},
		{"Jorge leads the rowing club.", "Mireille has taken over the rowing club from Jorge.", UpdateSupersedes},
		{"Entry costs 5 euros.", "From March on, entry costs 7 euros.", UpdateSupersedes},
		{"Frau Ebert betreut den Chor.", "Seit Ostern kümmert sich Herr Lang um den Chor.", UpdateSupersedes},
		{"Der Kurs kostet 20 Euro.", "Seit Ostern kostet der Kurs 25 Euro.", UpdateSupersedes},
		{"The fair is in the barn.", "The fair has been moved from the barn to the meadow.", UpdateSupersedes},
		{"Der Markt ist am Hafen.", "Der Markt ist vom Hafen in den Park umgezogen.", UpdateSupersedes},
		{"集合は北門。", "集合は北門から西門に変わった。", UpdateSupersedes},
		{"集合地点在北门。", "集合地点从北门改到西门。", UpdateSupersedes},
		{"固件是3.1版。", "固件升到3.2版。", UpdateSupersedes},

		{"The oak desk is cheaper than the steel desk.", "The steel desk is cheaper than the oak desk.", Contradiction},
		{"Der Bus ist schneller als die Tram.", "Die Tram ist schneller als der Bus.", Contradiction},
		{"El tren es más barato que el avión.", "El avión es más barato que el tren.", Contradiction},
		{"面包比蛋糕贵。", "蛋糕比面包贵。", Contradiction},
		{"Frost kills the basil.", "The basil survives frost.", Contradiction},
		{"窓は夜も開けておく。", "窓は夜は閉めておく。", Contradiction},

		{"The billing job stops after 20 minutes.", "The mailing job stops after 5 minutes.", Unrelated},
		{"Crate 12 goes to Bergen.", "Crate 21 goes to Turku.", Unrelated},
		{"Training since 3 March", "We no longer use Redis since June.", Unrelated},
		{"Decision: Stripe instead of Adyen, since 4 May", "We no longer deploy on Fridays since June.", Unrelated},
		{"We no longer deploy on Fridays.", "Deploys no longer happen on Mondays.", Unrelated},
		{"We do not deploy on Fridays.", "We do not deploy on Mondays.", Unrelated},
		{"We do not deploy before March.", "We do not deploy before April.", Contradiction},
	} {
		if v := Relate(c.older, c.newer); v.Bond != c.want {
			t.Errorf("%q, %q: got %s (%s), want %s", c.older, c.newer, v.Bond, v.Reason, c.want)
		}
	}
}
